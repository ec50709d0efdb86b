package dev.tallystick.broker.webhook;

import dev.tallystick.broker.message.Deliveries;
import dev.tallystick.broker.message.Delivery;
import dev.tallystick.broker.message.DirectoryStore;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Names;
import dev.tallystick.core.Role;
import dev.tallystick.sql.Database;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls webhooks. A call is repeated with exponential backoff until it is answered with 2xx, and abandoned after
 * {@link #MAX_ATTEMPTS}; it may arrive more than once, with the same ID. No call waits for a call to another receiver.
 * Thread-safe.
 */
public final class Webhooks {

    public static final int MAX_ATTEMPTS = 20;

    /** The maximum per member: accepting a message to a topic writes a row for each webhook in the accepting transaction. */
    public static final int MAX_OF_A_MEMBER = 100;

    static final int GONE = 410;

    private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);

    private static final int SECRET_BYTES = 32;
    private static final int LONGEST_REASON = 500;
    private static final Pattern REFUSED = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final Database database;
    private final Deliveries deliveries;
    private final CompletionWatch ends;
    private final Ids ids;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final CrashPoints crashPoints;
    private final WebhookRequest webhookRequest;
    private final Runnable roomMade;
    private final InFlightCalls underWay = new InFlightCalls();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final WebhookStore store = new WebhookStore();
    private final DirectoryStore directory = new DirectoryStore();

    /** @param roomMade called whenever a call has ended, so that the next can start */
    public Webhooks(
            Database database,
            Deliveries deliveries,
            CompletionWatch ends,
            AddressPolicy policy,
            Ids ids,
            InstantSource clock,
            RandomGenerator random,
            CrashPoints crashPoints,
            Runnable roomMade) {
        this.database = database;
        this.deliveries = deliveries;
        this.ends = ends;
        this.ids = ids;
        this.clock = clock;
        this.random = random;
        this.crashPoints = crashPoints;
        this.roomMade = roomMade;
        this.webhookRequest = new WebhookRequest(policy);
    }

    /**
     * Registers an address, which is called from now on.
     *
     * @param source a topic, the owner itself, or a workflow, which means the ends of its jobs
     * @throws IllegalArgumentException if the URL or the source is invalid
     */
    public Registration register(Member owner, Destination source, URI url) {
        WebhookRequest.require(url);
        if (source.kind() == Destination.Kind.QUEUE
                || (source.kind() == Destination.Kind.MEMBER
                        && !source.reference().equals(owner.name()))) {
            throw new IllegalArgumentException("a webhook's source must be a topic, a workflow, or its owner");
        }
        Names.require(source.kind().word(), source.reference());
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        String id = ids.next().toString();
        return database.transact("register webhook", tx -> {
            if (!store.lockOwner(tx, owner)) {
                return new Registration.NoSuchMember();
            }
            if (store.count(tx, owner) >= MAX_OF_A_MEMBER) {
                return new Registration.TooMany(MAX_OF_A_MEMBER);
            }
            if (source.kind() == Destination.Kind.TOPIC && !directory.lock(tx, owner.mesh(), source)) {
                return new Registration.UnknownTopic();
            }
            if (source.kind() == Destination.Kind.WORKFLOW) {
                ends.watch(tx, id, owner.mesh(), source.reference());
            }
            Webhook webhook = store.create(tx, id, owner, source, url, secret);
            return new Registration.Registered(webhook, HexFormat.of().formatHex(secret));
        });
    }

    public List<Webhook> list(String mesh) {
        return database.read("list webhooks", tx -> store.list(tx, mesh));
    }

    /** Deletes a webhook and drops its open calls. Returns false if there was no such webhook. */
    public boolean delete(String mesh, String id) {
        return database.transact("delete webhook", tx -> {
            boolean there = store.find(tx, mesh, id).isPresent();
            if (there) {
                ends.unwatch(tx, id);
                store.delete(tx, mesh, id);
            }
            return there;
        });
    }

    public Optional<Webhook> find(String mesh, String id) {
        return database.read("find webhook", tx -> store.find(tx, mesh, id));
    }

    /** Starts the due calls, as far as there is room, without waiting for them. */
    public List<CompletableFuture<Void>> begin() {
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        List<WebhookStore.Due> due = lease();
        while (!due.isEmpty()) {
            due.forEach(each -> begun.add(begin(each)));
            due = lease();
        }
        return begun;
    }

    /** Waits for calls in flight to end; calls that take longer are made again by another broker. */
    public void close(Duration limit) {
        threads.shutdown();
        try {
            boolean unused = threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<WebhookStore.Due> lease() {
        InFlightCalls.Now now = underWay.now();
        return now.room() == 0 ? List.of() : database.transact("lease calls", tx -> store.lease(tx, now, LEASE));
    }

    private CompletableFuture<Void> begin(WebhookStore.Due due) {
        Delivery.Lease lease = due.delivery().lease();
        underWay.begins(lease);
        return CompletableFuture.runAsync(() -> deliver(due), threads).whenComplete((called, failure) -> {
            underWay.ends(lease);
            if (failure != null) {
                LOG.warn("the result of a call to {} was not recorded: it will be made again", lease.inbox(), failure);
            }
            roomMade.run();
        });
    }

    private void deliver(WebhookStore.Due due) {
        Delivery delivery = due.delivery();
        WebhookRequest.Outcome outcome = call(due);
        crashPoints.reached(BrokerCrashPoint.WEBHOOK_CALLED);
        Optional<String> failure = failure(outcome);
        List<Delivery.Lease> lease = List.of(delivery.lease());
        String mesh = delivery.lease().mesh();
        if (failure.isEmpty()) {
            deliveries.acknowledge(mesh, lease);
        } else if (isFinal(outcome) || delivery.attempt() >= MAX_ATTEMPTS) {
            LOG.warn(
                    "gave up calling {} for message {}: {}",
                    delivery.lease().inbox(),
                    delivery.message().id(),
                    failure.get());
            deliveries.bury(mesh, lease, failure.get());
        } else {
            deliveries.release(mesh, lease, pause(delivery.attempt()), failure.get());
        }
    }

    private WebhookRequest.Outcome call(WebhookStore.Due due) {
        WebhookStore.Target target = due.target();
        if (target == null) {
            return new WebhookRequest.Outcome.Forbidden("the webhook is gone");
        }
        return target.owner().may(Role.MEMBER)
                ? call(target, due.delivery())
                : new WebhookRequest.Outcome.Forbidden("the owner of the webhook no longer has the role member");
    }

    /** Any error in one call is a failed attempt; it must not end the other calls. */
    private WebhookRequest.Outcome call(WebhookStore.Target target, Delivery delivery) {
        try {
            byte[] body = WebhookBody.of(delivery.message()).canonicalBytes();
            long seconds = clock.instant().getEpochSecond();
            return webhookRequest.post(target.url(), Signature.headers(target.secret(), delivery, body, seconds), body);
        } catch (RuntimeException e) {
            LOG.warn("cannot call {}", delivery.lease().inbox(), e);
            return new WebhookRequest.Outcome.Failed(e.toString());
        }
    }

    private static Optional<String> failure(WebhookRequest.Outcome outcome) {
        return reason(outcome).map(Webhooks::storable);
    }

    /** The receiver may influence a reason, and the database refuses some characters. */
    private static String storable(String reason) {
        String beginning = reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
        return REFUSED.matcher(beginning).replaceAll(" ");
    }

    private static Optional<String> reason(WebhookRequest.Outcome outcome) {
        return switch (outcome) {
            case WebhookRequest.Outcome.Answered answered ->
                answered.status() / 100 == 2 ? Optional.empty() : Optional.of("answered " + answered.status());
            case WebhookRequest.Outcome.Failed failed -> Optional.of(failed.why());
            case WebhookRequest.Outcome.Forbidden forbidden -> Optional.of(forbidden.why());
        };
    }

    private static boolean isFinal(WebhookRequest.Outcome outcome) {
        return switch (outcome) {
            case WebhookRequest.Outcome.Answered answered -> answered.status() == GONE;
            case WebhookRequest.Outcome.Failed failed -> false;
            case WebhookRequest.Outcome.Forbidden forbidden -> true;
        };
    }

    /** Doubles with each attempt, with jitter from its upper half so that calls that failed together spread out. */
    Duration pause(int attempt) {
        long bound = Math.min(FIRST_PAUSE.toMillis() << Math.min(attempt - 1, 20), LONGEST_PAUSE.toMillis());
        return Duration.ofMillis(bound / 2 + random.nextLong(bound / 2 + 1));
    }
}
