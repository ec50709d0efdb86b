package dev.tallystick;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.engine.model.PartnerRequest;
import dev.tallystick.engine.seal.Receipts;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Posted;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The part of a process in the exchange: posts what its jobs ask partners, brings them the results, and answers what partners
 * ask. Postings and results share the database of the jobs, so a job has asked if and only if its request is posted. Thread-safe.
 */
public final class Exchange implements AutoCloseable {

    private final Database database;
    private final Engine engine;
    private final Identity identity;
    private final Transport transport;
    private final ExchangeSettings settings;
    private final CrashPoints crashPoints;
    private final GroupCommitter committer;
    private final Partners partners;
    private final Producer producer;
    private @Nullable Consumer consumer;

    /** For processes that assemble their own engine. */
    public Exchange(
            Database database,
            Engine engine,
            Identity identity,
            Transport transport,
            ExchangeSettings settings,
            CrashPoints crashPoints) {
        this.database = database;
        this.engine = engine;
        this.identity = identity;
        this.transport = transport;
        this.settings = settings;
        this.crashPoints = crashPoints;
        committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        partners = new Partners(database);
        producer = new Producer(database, committer, identity, partners, transport, settings, crashPoints);
        producer.tell((origin, id, settled) -> bring(JobOrigin.parse(origin), id, settled));
        producer.checkpoints(new Receipts(database)::checkpoint);
        engine.partners().through(this::post);
    }

    public void start() {
        producer.start();
    }

    /** Answers what partners ask, from now on. Call it once. */
    public synchronized void handle(Handler handler) {
        if (consumer != null) {
            throw new IllegalStateException("this process has a handler already");
        }
        consumer = new Consumer(database, committer, identity, partners, transport, handler, settings, crashPoints);
        consumer.start();
    }

    /** The participants that are trusted, and their keys. */
    public Partners partners() {
        return partners;
    }

    /** Posts outside of jobs. */
    public Producer producer() {
        return producer;
    }

    /** What both sides have recorded, with evidence. */
    public Records records() {
        return new Records(database, identity.participant());
    }

    /** What could not be acted upon. */
    public Issues issues() {
        return new Issues(database, identity.participant());
    }

    @Override
    public synchronized void close() {
        producer.close();
        if (consumer != null) {
            consumer.close();
        }
        committer.close();
    }

    /** Runs in the transaction in which the jobs ask. */
    private Map<UUID, String> post(Tx tx, List<PartnerRequest> requests) throws SQLException {
        Map<UUID, String> refused = new HashMap<>();
        Map<UUID, PartnerRequest> first = new LinkedHashMap<>();
        List<PartnerRequest> again = new ArrayList<>();
        for (PartnerRequest request : requests) {
            String problem = problem(request);
            if (problem != null) {
                refused.put(request.id(), problem);
            } else if (first.putIfAbsent(request.id(), request) != null) {
                again.add(request);
            }
        }
        if (!first.isEmpty()) {
            record(tx, List.copyOf(first.values()), refused);
        }
        if (!again.isEmpty()) {
            refused.putAll(post(tx, again));
        }
        return refused;
    }

    private void record(Tx tx, List<PartnerRequest> requests, Map<UUID, String> refused) throws SQLException {
        List<Posted> posted =
                producer.post(tx, requests.stream().map(Exchange::draft).toList());
        for (int i = 0; i < requests.size(); i++) {
            if (posted.get(i) instanceof Posted.IdReused) {
                refused.put(
                        requests.get(i).id(),
                        "posting " + requests.get(i).id()
                                + " was recorded with another request: a fork asks what the job before it asked");
            }
        }
    }

    private static Draft draft(PartnerRequest request) {
        return new Draft(
                        new Participant(request.participant()),
                        new MessageId(request.id().toString()),
                        Payload.of(request.payload()))
                .askedBy(new JobOrigin(request.mesh(), request.job()).line());
    }

    /** Null if the request can be posted. */
    private @Nullable String problem(PartnerRequest request) {
        try {
            return partners.isKnown(new Participant(request.participant()))
                    ? null
                    : "participant '" + request.participant() + "' has no key here: add it with `tally exchange trust`";
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private CompletableFuture<?> bring(JobOrigin origin, MessageId id, Settled settled) {
        PartnerAnswer answer = switch (settled) {
            case Settled.Ok ok -> PartnerAnswer.ok(json(ok.payload()));
            case Settled.Rejected rejected -> PartnerAnswer.rejected(rejected.reason());
        };
        return engine.partners().answer(origin.mesh(), origin.job(), UUID.fromString(id.value()), answer);
    }

    /** Jobs read JSON; other bytes become a string in base64, as Java's {@code byte[]} does. */
    private static byte[] json(Payload payload) {
        if (payload.size() == 0) {
            return "null".getBytes(UTF_8);
        }
        byte[] bytes = payload.bytes();
        try {
            Json unused = Json.parse(bytes);
            return bytes;
        } catch (JsonRefused e) {
            return Json.of(Base64.getEncoder().encodeToString(bytes)).canonicalBytes();
        }
    }

    /** The job that asked, as the producer keeps it. */
    private record JobOrigin(String mesh, JobId job) {

        String line() {
            return job + " " + mesh;
        }

        static JobOrigin parse(String line) {
            int space = line.indexOf(' ');
            return new JobOrigin(line.substring(space + 1), JobId.parse(line.substring(0, space)));
        }
    }
}
