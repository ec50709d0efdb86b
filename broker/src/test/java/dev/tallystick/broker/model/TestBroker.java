package dev.tallystick.broker.model;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.BrokerSchema;
import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.accept.AcceptHook;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.message.Directory;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Futures;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import dev.tallystick.keys.KeySchema;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/** Common to the tests of this module: the schema, a mesh with members, and shorthands for submissions. */
public final class TestBroker {

    public static final String MESH = "default";
    public static final Member ALICE = new Member(MESH, "alice", Set.of(Role.MEMBER));
    public static final Member BOB = new Member(MESH, "bob", Set.of(Role.MEMBER));

    public static final Destination ALERTS = Destination.parse("topic:alerts");
    public static final Destination INVOICES = Destination.parse("queue:invoices");
    public static final Destination TO_BOB = Destination.parse("member:bob");
    public static final Destination ORDER = Destination.parse("workflow:order");

    public static final BrokerSettings SETTINGS = BrokerSettings.DEFAULT.withPoll(Duration.ofMillis(200));

    public static TestPostgres postgres() {
        return TestPostgres.perTest().prepared("broker", source -> {
            Database database = Database.on(source);
            KeySchema.migrations().migrate(database);
            BrokerSchema.MIGRATIONS.migrate(database);
            JobHook.createTable(database);
            Members members =
                    new Members(database, CompletionWatch.NONE, Clock.systemUTC(), RandomGenerator.getDefault());
            members.createMesh(MESH);
            members.create(ALICE);
            members.create(BOB);
            Directory directory = new Directory(database);
            directory.create(MESH, ALERTS);
            directory.create(MESH, INVOICES);
            directory.subscribe(MESH, "alerts", "bob");
        });
    }

    public static Broker on(DataSource source) {
        return on(source, SETTINGS, new JobHook("order"), Limiter.NONE, CrashPoints.NONE);
    }

    public static Broker on(
            DataSource source, BrokerSettings settings, AcceptHook hook, Limiter limiter, CrashPoints crashPoints) {
        Database database = Database.on(source, RandomGenerator.getDefault(), crashPoints);
        return new Broker(
                database, settings, hook, limiter, Clock.systemUTC(), RandomGenerator.getDefault(), crashPoints);
    }

    public static IdempotencyKey key(String key) {
        return new IdempotencyKey(key);
    }

    public static Submission text(String key, Destination to, String text) {
        return Submission.of(key(key), Envelope.of(to, new Envelope.Body.Text(text)));
    }

    public static Submission job(String key, String input) {
        return Submission.of(key(key), Envelope.ofJob("order", Json.of(input)));
    }

    /** A submission to any destination, distinguished by {@code text}. */
    public static Submission to(Destination to, String key, String text) {
        return to.kind() == Destination.Kind.WORKFLOW ? job(key, text) : text(key, to, text);
    }

    /** Makes the due webhook calls until none is left. */
    public static void call(Broker broker) {
        List<CompletableFuture<Void>> calls;
        do {
            calls = broker.webhooks().begin();
            Futures.await(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)));
        } while (!calls.isEmpty());
    }

    /** The number of rows of everything that accepting writes. */
    public static Map<String, Long> rows(DataSource source) {
        Map<String, Long> rows = new LinkedHashMap<>();
        Database database = Database.on(source);
        for (String table : List.of("key", "message", "history", "delivery", "mention", "test_job")) {
            rows.put(
                    table,
                    database.transact(
                            "count",
                            tx -> tx.first("select count(*) as n from tally." + table, row -> row.getLong("n"))
                                    .orElseThrow()));
        }
        return rows;
    }

    public static final Map<String, Long> NO_ROWS =
            Map.of("key", 0L, "message", 0L, "history", 0L, "delivery", 0L, "mention", 0L, "test_job", 0L);

    private TestBroker() {}
}
