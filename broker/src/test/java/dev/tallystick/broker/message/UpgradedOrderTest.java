package dev.tallystick.broker.message;

import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.BrokerSchema;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.keys.KeySchema;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Migrations;
import dev.tallystick.testkit.TestPostgres;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database of a version that ordered messages by their IDs. */
class UpgradedOrderTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private static final List<String> IDS_AS_WRITTEN = List.of(
            "00000000-0000-7000-8000-000000000003",
            "00000000-0000-7000-8000-000000000001",
            "00000000-0000-7000-8000-000000000002");

    private final Database database = Database.on(postgres.dataSource());

    @Test
    void what_waits_keeps_its_order_and_comes_before_what_is_accepted_later() {
        migrateToIds();
        IDS_AS_WRITTEN.forEach(this::write);

        BrokerSchema.MIGRATIONS.migrate(database);

        try (Broker broker = TestBroker.on(postgres.dataSource())) {
            UUID later = accepted(broker.accept(ALICE, text("later", INVOICES, "x")));
            new Sequencer(database, CrashPoints.NONE).run();
            List<UUID> inOrder = List.of(
                    UUID.fromString(IDS_AS_WRITTEN.get(1)),
                    UUID.fromString(IDS_AS_WRITTEN.get(2)),
                    UUID.fromString(IDS_AS_WRITTEN.get(0)),
                    later);
            assertThat(broker.history().read(MESH, INVOICES, 0, 10).entries())
                    .extracting(entry -> entry.message().id())
                    .isEqualTo(inOrder);
            assertThat(broker.deliveries().lease(ALICE, Inbox.queue("invoices"), 10, Deliveries.DEFAULT_LEASE))
                    .extracting(delivery -> delivery.message().id())
                    .isEqualTo(inOrder);
        }
    }

    private static UUID accepted(Acceptance answer) {
        return ((Acceptance.Accepted) Objects.requireNonNull(answer)).message().id();
    }

    private void migrateToIds() {
        KeySchema.migrations().migrate(database);
        Migrations.of(
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
                        "0016-webhooks-of-deleted-topics.sql")
                .migrate(database);
        JobHook.createTable(database);
        Members members = new Members(database, CompletionWatch.NONE, Clock.systemUTC(), RandomGenerator.getDefault());
        members.createMesh(MESH);
        members.create(ALICE);
        new Directory(database).create(MESH, INVOICES);
    }

    private void write(String id) {
        database.transact("write", tx -> {
            UUID message = UUID.fromString(id);
            tx.update("""
                    insert into tally.message (id, mesh, sender, destination, priority, meta, mentions, body_kind, body)
                    values (?, ?, 'alice', 'queue:invoices', 1, '', '', 'text', '')
                    """, message, MESH);
            tx.update(
                    "insert into tally.history (id, message_id, mesh, destination) values (?, ?, ?, 'queue:invoices')",
                    message,
                    message,
                    MESH);
            return tx.update(
                    "insert into tally.delivery (message_id, inbox, mesh, priority) values (?, 'queue:invoices', ?, 1)",
                    message,
                    MESH);
        });
    }
}
