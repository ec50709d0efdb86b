package dev.tallystick.server.routes;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.UUID;

/** The identity of an installation. One method is one statement; the caller owns the transaction. */
public final class InstallationStore {

    private static final String ID = "select id from tally.installation";

    public UUID id(Tx tx) throws SQLException {
        return tx.first(ID, row -> row.getObject("id", UUID.class))
                .orElseThrow(() -> new IllegalStateException("the migrations make an installation"));
    }
}
