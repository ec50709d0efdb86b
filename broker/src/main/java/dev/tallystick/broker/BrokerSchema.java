package dev.tallystick.broker;

import dev.tallystick.sql.Migrations;

/** The tables of this module. They stand on those of the key ledger; run its migrations first. */
public final class BrokerSchema {

    public static final Migrations MIGRATIONS =
            Migrations.of("broker", BrokerSchema.class, "0001-meshes-and-messages.sql");

    private BrokerSchema() {}
}
