package dev.tallystick.keys;

import dev.tallystick.sql.Migrations;

/** The tables of this module. Run its migrations before anything else. */
public final class KeySchema {

    public static Migrations migrations() {
        return Migrations.of("keys", KeySchema.class, "0001-key-ledger.sql", "0002-erased-keys.sql");
    }

    private KeySchema() {}
}
