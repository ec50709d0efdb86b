package dev.tallystick.sql;

/** The differences between Postgres and compatible databases. All other SQL is shared. */
final class Dialect {

    /** Held until the transaction ends, so that only one instance migrates at a time. */
    static final String LOCK_MIGRATIONS = "select pg_advisory_xact_lock(hashtextextended('tally.migration', 0))";

    private Dialect() {}
}
