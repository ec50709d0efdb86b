package dev.tallystick.broker;

import dev.tallystick.sql.Migrations;

/** The tables of this module. They depend on the key ledger's; run its migrations first. */
public final class BrokerSchema {

    public static final Migrations MIGRATIONS = Migrations.of(
            "broker",
            BrokerSchema.class,
            "0001-meshes-and-messages.sql",
            "0002-rate-limits.sql",
            "0003-webhooks.sql",
            "0004-followers-and-search.sql",
            "0010-devices.sql",
            "0011-windows-by-their-start.sql",
            "0014-identities-of-members.sql",
            "0015-positions-of-a-mesh.sql",
            "0016-webhooks-of-deleted-topics.sql",
            "0017-ordinals.sql",
            "0018-previous-keys-and-hosts-of-devices.sql");

    private BrokerSchema() {}
}
