package dev.tallystick.broker.message;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.AcceptTest;
import dev.tallystick.broker.AuditLog;
import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SearchTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final Database database = Database.on(postgres.dataSource());
    private final Broker broker = TestBroker.on(postgres.dataSource());

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void messages_are_found_by_their_words_and_only_in_their_mesh() {
        UUID disk = send(text("a", ALERTS, "The disk of pump seven is full"));
        UUID pump = send(text("b", ALERTS, "pump seven stands still"));
        UUID json = send(Submission.of(
                TestBroker.key("c"),
                Envelope.of(ALERTS, new Envelope.Body.Document(Json.parse("{\"pump\":[\"eight\\u0000nine\", 7]}")))));
        index();

        assertThat(found("pump seven")).containsExactly(disk, pump);
        assertThat(found("pump -disk")).containsExactly(pump);
        assertThat(found("\"is full\"")).containsExactly(disk);
        assertThat(found("eight")).containsExactly(json);
        assertThat(found("' ; drop table x")).isEmpty();
        assertThat(broker.search().find("other", "pump", History.BEGINNING, 10).entries())
                .isEmpty();
    }

    @Test
    void later_messages_are_found_too_and_a_follower_may_restart() {
        send(text("a", ALERTS, "pump"));
        index();
        send(text("b", ALERTS, "pump"));
        index();
        assertThat(found("pump")).hasSize(2);

        database.transact("restart the follower", tx -> tx.update("update tally.follower set position = 0"));
        index();

        assertThat(found("pump")).hasSize(2);
    }

    private void index() {
        new Sequencer(database, CrashPoints.NONE).run();
        broker.search().run();
        new AuditLog(database).run();
    }

    private List<UUID> found(String query) {
        return broker.search().find(MESH, query, History.BEGINNING, 10).entries().stream()
                .map(entry -> entry.message().id())
                .toList();
    }

    private UUID send(Submission submission) {
        return AcceptTest.accepted(broker.accept(ALICE, submission)).id();
    }
}
