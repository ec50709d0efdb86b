package dev.tallystick.server;

import dev.tallystick.broker.BrokerSchema;
import dev.tallystick.sql.Migrations;
import dev.tallystick.sql.Schema;
import dev.tallystick.wiring.Foundation;

/** The tables of a server, including those of a process with the library. */
public final class ServerSchema {

    /** The server's additions to the others' tables. */
    private static final Migrations MIGRATIONS = Migrations.of(
            "server",
            ServerSchema.class,
            "0001-list-jobs.sql",
            "0002-one-index-for-lists.sql",
            "0003-installation.sql");

    public static final Schema ALL = Foundation.TABLES.and(BrokerSchema.MIGRATIONS, MIGRATIONS);

    private ServerSchema() {}
}
