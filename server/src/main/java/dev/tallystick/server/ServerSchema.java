package dev.tallystick.server;

import dev.tallystick.sql.Migrations;

/** What the server adds to the tables of others. */
final class ServerSchema {

    static final Migrations MIGRATIONS = Migrations.of("server", ServerSchema.class, "0001-list-jobs.sql");

    private ServerSchema() {}
}
