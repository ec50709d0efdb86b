package dev.tallystick.sql;

import java.sql.SQLException;

/** Lets transactions that have to do with the same thing take turns, also where there is no row yet that they could lock. */
public final class TurnStore {

    private static final String TAKE = "select pg_advisory_xact_lock(hashtextextended(?, 0))";

    /** Returns when it is this transaction's turn, which ends with it. */
    public void take(Tx tx, String thing) throws SQLException {
        tx.query(TAKE, row -> true, thing);
    }
}
