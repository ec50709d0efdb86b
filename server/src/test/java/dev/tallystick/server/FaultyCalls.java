package dev.tallystick.server;

import dev.tallystick.client.Jobs;
import dev.tallystick.client.Keys;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Every call of the SDK, with what it needs on the server, and how to see there that it happened. */
final class FaultyCalls {

    /** What a repeat finds after the first request has arrived. */
    enum Repeat {
        /** The call changes nothing. */
        READS("reads"),
        /** The same, and says so. */
        SAME("can be repeated"),
        /** Nothing, for the first has taken it away: that is no proof of it. */
        GONE("takes away"),
        /** It would happen twice, so the client does not repeat it. */
        TWICE("is not repeated");

        final String word;

        Repeat(String word) {
            this.word = word;
        }
    }

    /**
     * A call, ready to be made.
     *
     * @param happened true if nothing can be seen
     */
    record Ready(Consumer<TallyClient> call, BooleanSupplier happened) {

        static Ready of(Consumer<TallyClient> call) {
            return new Ready(call, () -> true);
        }
    }

    /** Makes on the server what a call needs, under names of its own. */
    @FunctionalInterface
    interface Preparation {
        Ready prepare(FaultyCalls server, String name);
    }

    record Row(String call, Repeat repeat, Preparation preparation) {}

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Fingerprint CHARGE = Fingerprint.of("charge", "42");
    private static final Json ORDER = Json.parse("{\"order\":\"1\"}");
    private static final Json APPROVAL = Json.parse("{\"by\":\"ann\"}");

    static final List<Row> ROWS = rows();

    final TallyClient direct;
    final Consumer<String> posts;
    final UUID closed;
    final UUID failed;

    /**
     * @param direct an admin's, and without a fault between it and the server
     * @param posts what this server posts to a partner that never answers
     */
    FaultyCalls(TallyClient direct, Consumer<String> posts) {
        this.direct = direct;
        this.posts = posts;
        posts.accept("posted");
        this.closed = submitted("closed", "sample.order", ORDER);
        direct.result(closed, SOON);
        this.failed = submitted("failed", "sample.order", Json.of("no order"));
        direct.result(failed, SOON);
        direct.topics().create("all");
        Eventually.holds("its end is sealed", () -> has(() -> direct.jobs().receipt(closed)));
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        jobs(rows);
        keys(rows);
        rows.addAll(FaultyMessageCalls.rows());
        rows.addAll(FaultyOperatorCalls.rows());
        postings(rows);
        return List.copyOf(rows);
    }

    private static void postings(List<Row> rows) {
        rows.add(read("postings.list", (client, server) -> client.postings().list(true, 10)));
        rows.add(read("postings.find", (client, server) -> client.postings().find("posted")));
        rows.add(read("postings.bundle", (client, server) -> client.postings().bundle("posted", null)));
        rows.add(read("postings.issues", (client, server) -> client.postings().issues(true, 10)));
        rows.add(row("postings.replay", Repeat.SAME, (server, name) -> {
            server.posts.accept(name);
            return new Ready(
                    client -> client.postings().replay(name),
                    () -> server.direct.postings().find(name).getFirst().audit().stream()
                            .anyMatch(entry -> entry.endsWith("replay requested")));
        }));
        rows.add(row("postings.reconcile", Repeat.SAME, (server, name) -> {
            server.posts.accept(name);
            return new Ready(
                    client -> client.postings().reconcile("globex"),
                    () -> server.direct.postings().issues(false, 500).stream()
                            .anyMatch(issue -> issue.id().equals(name)));
        }));
    }

    private static void jobs(List<Row> rows) {
        rows.add(row(
                "submit",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.submit(TallyClient.NewJob.of("sample.order", ORDER), key(name)),
                        () -> server.has(() -> server.direct.jobs().findByKey(key(name))))));
        rows.add(read("result", (client, server) -> client.result(server.closed, Duration.ZERO)));
        rows.add(row("signal", Repeat.SAME, (server, name) -> {
            UUID job = server.submitted(name, "sample.approval", ORDER);
            return new Ready(
                    client -> client.signal(job, "approved", APPROVAL, key(name)),
                    () -> server.direct.result(job, SOON).status().equals("completed"));
        }));
        rows.add(row("cancel", Repeat.SAME, (server, name) -> {
            UUID job = server.submitted(name, "sample.approval", ORDER);
            return new Ready(
                    client -> client.cancel(job),
                    () -> server.direct.result(job, SOON).status().equals("cancelled"));
        }));
        rows.add(row(
                "rerun",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.rerun(server.closed, key(name)),
                        () -> server.direct.rerun(server.closed, key(name)).duplicate())));
        rows.add(row(
                "fork",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.fork(server.closed, "charge", key(name)),
                        () -> server.direct
                                .fork(server.closed, "charge", key(name))
                                .duplicate())));
        rows.add(row("jobs.erase", Repeat.SAME, (server, name) -> {
            UUID job = server.submitted(name, "sample.order", ORDER);
            Eventually.holds(
                    "its end is sealed",
                    () -> server.has(() -> server.direct.result(job, SOON))
                            && server.has(() -> server.direct.jobs().receipt(job)));
            return new Ready(
                    client -> client.jobs().erase(job),
                    () -> !server.has(() -> server.direct.jobs().find(job)));
        }));
        rows.add(read("features", (client, server) -> client.features()));
        rows.add(read("orphans", (client, server) -> client.orphans()));
        rows.add(read("jobs.list", (client, server) -> client.jobs().list(Jobs.Filter.ALL, null, 10)));
        rows.add(read("jobs.findByKey", (client, server) -> client.jobs().findByKey(key("closed"))));
        rows.add(read("jobs.find", (client, server) -> client.jobs().find(server.closed)));
        rows.add(read("jobs.receipt", (client, server) -> client.jobs().receipt(server.closed)));
        rows.add(read("jobs.why", (client, server) -> client.jobs().why(server.closed)));
        rows.add(read("jobs.activities", (client, server) -> client.jobs().activities(server.closed)));
        rows.add(read("jobs.events", (client, server) -> client.jobs().events(server.closed, 0, 10, Duration.ZERO)));
    }

    private static void keys(List<Row> rows) {
        rows.add(row(
                "keys.once",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.keys().once(key(name), CHARGE, () -> Keys.Verdict.commit(ORDER)),
                        () -> server.direct.keys().reserve(key(name), CHARGE) instanceof Keys.Reserve.Replayed)));
        rows.add(row(
                "keys.reserve",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.keys().reserve(key(name), CHARGE),
                        () -> server.direct.keys().reserve(key(name), CHARGE) instanceof Keys.Reserve.InProgress)));
        rows.add(row("keys.commit", Repeat.SAME, (server, name) -> {
            Keys.Reservation held = server.reserved(name);
            return new Ready(
                    client -> client.keys().commit(held, ORDER),
                    () -> server.direct.keys().reserve(key(name), CHARGE) instanceof Keys.Reserve.Replayed);
        }));
        rows.add(row("keys.reject", Repeat.SAME, (server, name) -> {
            Keys.Reservation held = server.reserved(name);
            return new Ready(
                    client -> client.keys().reject(held, ORDER),
                    () -> server.direct.keys().reserve(key(name), CHARGE) instanceof Keys.Reserve.Replayed);
        }));
        rows.add(row("keys.release", Repeat.SAME, (server, name) -> {
            Keys.Reservation held = server.reserved(name);
            return new Ready(
                    client -> client.keys().release(held),
                    () -> server.direct.keys().reserve(key(name), CHARGE) instanceof Keys.Reserve.Reserved);
        }));
        rows.add(read("keys.prove", (client, server) -> client.keys().prove(key("closed"))));
        rows.add(read("keys.open", (client, server) -> client.keys().open(10)));
        rows.add(read("keys.find", (client, server) -> client.keys().find(key("never used"))));
        rows.add(row("keys.resolve", Repeat.SAME, (server, name) -> {
            server.reserved(name);
            Keys.Held held = server.direct.keys().find(key(name)).getFirst();
            return new Ready(
                    client -> client.keys().resolve(held, Keys.Verdict.commit(ORDER)),
                    () -> server.direct.keys().reserve(key(name), CHARGE) instanceof Keys.Reserve.Replayed);
        }));
    }

    static Row row(String call, Repeat repeat, Preparation preparation) {
        return new Row(call, repeat, preparation);
    }

    /** A call that changes nothing, and needs nothing but what is always there. */
    static Row read(String call, BiConsumer<TallyClient, FaultyCalls> asking) {
        return row(call, Repeat.READS, (server, name) -> Ready.of(client -> asking.accept(client, server)));
    }

    static IdempotencyKey key(String name) {
        return new IdempotencyKey(name);
    }

    UUID submitted(String name, String workflow, Json input) {
        return direct.submit(TallyClient.NewJob.of(workflow, input), key(name)).job();
    }

    /** Whether it is there. */
    boolean has(Supplier<?> finding) {
        try {
            return finding.get() != null;
        } catch (RefusedException e) {
            return false;
        }
    }

    private Keys.Reservation reserved(String name) {
        return ((Keys.Reserve.Reserved) direct.keys().reserve(key(name), CHARGE)).reservation();
    }
}
