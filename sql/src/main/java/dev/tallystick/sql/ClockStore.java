package dev.tallystick.sql;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;

/** Reads the database's clock. */
final class ClockStore {

    private static final String NOW = "select clock_timestamp() as now";

    Instant now(Tx tx) throws SQLException {
        return tx.first(NOW, row -> Objects.requireNonNull(Tx.instant(row, "now")))
                .orElseThrow();
    }
}
