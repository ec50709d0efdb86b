package dev.tallystick.sql;

/** What Postgres and the databases that speak its language do differently. Everything else is SQL that they share. */
final class Dialect {

    /** Held until the transaction ends, so that only one instance migrates at a time. */
    static final String LOCK_MIGRATIONS = "select pg_advisory_xact_lock(hashtextextended('tally.migration', 0))";

    private Dialect() {}
}
