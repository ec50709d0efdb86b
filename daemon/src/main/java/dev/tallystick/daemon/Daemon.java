package dev.tallystick.daemon;

import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.Opened;
import dev.tallystick.core.api.JobApi.SubmitJob;
import dev.tallystick.core.api.MessageApi.SendMessage;
import dev.tallystick.daemon.delivery.ClientUpstream;
import dev.tallystick.daemon.delivery.Courier;
import dev.tallystick.daemon.delivery.DeliveryListener;
import dev.tallystick.daemon.delivery.DeliveryState;
import dev.tallystick.daemon.hooks.Hooks;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.inbox.Receiver;
import dev.tallystick.daemon.local.LocalRoutes;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.daemon.outbox.Acceptance;
import dev.tallystick.daemon.outbox.NewRow;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.RequestReader;
import dev.tallystick.daemon.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running daemon, as a process of its own or inside an application. Closing it stops delivery; what it has accepted stays in
 * its directory and is delivered by the next one. Thread-safe.
 */
public final class Daemon implements AutoCloseable {

    /** What callers over loopback TCP send as their bearer token. */
    public static final String TOKEN_FILE = "daemon.token";

    private static final int TOKEN_BYTES = 32;
    private static final Duration MAINTENANCE = Duration.ofMinutes(1);
    private static final int MAINTENANCES_AN_HOUR = 60;
    private static final int RESTS_PER_WORK = 9;
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

    private final Opened opened = new Opened();
    private final Outbox outbox;
    private final Inbox inbox;
    private final Courier courier;
    private final RequestReader reader;
    private final DaemonStatus status;
    private final int tcpPort;
    private final CountDownLatch closing = new CountDownLatch(1);

    private Daemon(DaemonSettings settings) throws IOException {
        boolean isComplete = false;
        try {
            SecureRandom random = new SecureRandom();
            // Ids must differ, but need not be secret; drawing secrets for each would slow every send down.
            Ids ids = new Ids(settings.clock(), new SplittableRandom(random.nextLong()));
            DaemonDirectory directory = open(DaemonDirectory.open(settings.directory()));
            Identity identity = Identity.of(directory, settings.clones(), settings.crashPoints());
            this.outbox = open(openOutbox(directory.path(), settings, ids));
            this.inbox = open(Inbox.open(directory.path(), settings.clock(), settings.crashPoints()));
            ClientUpstream upstream =
                    new ClientUpstream(settings.clients(), client -> identity.introduce(client.devices()));
            this.courier = open(new Courier(
                    outbox,
                    upstream,
                    settings.courier(),
                    settings.clock(),
                    random,
                    settings.crashPoints(),
                    new Reporter(ids)));
            this.reader = new RequestReader(courier::limits, outbox::newKey);
            this.status = new DaemonStatus(outbox, inbox, courier, identity, settings.clock(), settings.version());
            if (settings.receives()) {
                open(new Receiver(inbox, () -> connected(upstream), settings.receiver()))
                        .start();
            }
            open(new Hooks(directory.path(), inbox, settings.clock(), settings.hookLimit()))
                    .start();
            courier.start();
            this.tcpPort = settings.serves()
                    ? open(new LocalServer(
                                    directory.path(),
                                    settings.tcpPort(),
                                    token(directory, random),
                                    new LocalRoutes(outbox, reader, status)))
                            .port()
                    : 0;
            Thread.ofPlatform().daemon().name("tally-maintenance").start(this::maintain);
            isComplete = true;
        } finally {
            if (!isComplete) {
                closeOpened();
            }
        }
    }

    /**
     * Starts a daemon. It accepts when this returns, whether or not there is a server.
     *
     * @throws DaemonStartException if it cannot
     */
    public static Daemon start(DaemonSettings settings) {
        try {
            return new Daemon(settings);
        } catch (IOException e) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.UNUSABLE,
                    "cannot start in " + settings.directory() + ": " + e.getMessage(),
                    e);
        } catch (StorageException e) {
            throw explained(e);
        }
    }

    private static DaemonStartException explained(StorageException e) {
        String why = String.valueOf(e.getMessage());
        return switch (e.kind()) {
            case DAMAGED ->
                new DaemonStartException(
                        DaemonStartException.Kind.OUTBOX,
                        why + ". Run 'tally outbox salvage' to export what can be read",
                        e);
            case TOO_NEW -> new DaemonStartException(DaemonStartException.Kind.OUTBOX, why, e);
            case FULL, UNAVAILABLE, UNKNOWN, CLOSED ->
                new DaemonStartException(DaemonStartException.Kind.UNUSABLE, why, e);
        };
    }

    private static Outbox openOutbox(Path directory, DaemonSettings settings, Ids ids) {
        requireNotLost(directory);
        return Outbox.open(directory, settings.outbox(), settings.clock(), ids, settings.crashPoints());
    }

    /** An empty outbox in place of a lost one would forget accepted sends, and accept their keys again. */
    private static void requireNotLost(Path directory) {
        Path outbox = directory.resolve(Outbox.FILE);
        Path mark = directory.resolve(Outbox.MARK);
        if (!Files.exists(outbox) && Files.exists(mark)) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.OUTBOX,
                    outbox
                            + " is missing, although a daemon has used this directory: bring it back; or, to begin without what"
                            + " it held, remove " + mark + " as well");
        }
    }

    private Optional<TallyClient> connected(ClientUpstream upstream) {
        return courier.state().kind() == DeliveryState.Kind.DELIVERING
                ? Optional.of(upstream.client())
                : Optional.empty();
    }

    private static String token(DaemonDirectory directory, SecureRandom random) throws IOException {
        Path file = directory.path().resolve(TOKEN_FILE);
        if (!Files.exists(file)) {
            byte[] secret = new byte[TOKEN_BYTES];
            random.nextBytes(secret);
            directory.write(TOKEN_FILE, Base64.getUrlEncoder().withoutPadding().encodeToString(secret) + "\n");
        }
        String token = Files.readString(file).strip();
        if (token.length() < TOKEN_BYTES) {
            throw new IOException(file + " is too short to be a token: remove it, and start again");
        }
        return token;
    }

    /**
     * Keeps a message until the server has it.
     *
     * @param key null to let the daemon make one
     * @return what became of it, or of an earlier one with the same key
     * @throws dev.tallystick.daemon.outbox.RequestRefused if it can never be sent
     * @throws StorageException if it is not kept, or if that is unknown
     */
    public Acceptance send(Messages.NewMessage message, @Nullable IdempotencyKey key) {
        SendMessage body = new SendMessage(
                message.to().toString(),
                message.body(),
                message.priority(),
                message.meta(),
                message.replyTo(),
                message.mentions(),
                key == null ? null : key.value());
        return accept(reader.send(body, null, null));
    }

    /** Keeps a job until the server has it. As {@link #send}. */
    public Acceptance submit(TallyClient.NewJob job, @Nullable IdempotencyKey key) {
        Map<String, Json> attributes = new TreeMap<>();
        job.attributes().forEach((name, value) -> attributes.put(name, Json.of(value)));
        SubmitJob body = new SubmitJob(
                job.workflow(),
                job.input(),
                job.version(),
                job.priority(),
                job.notBefore(),
                new Json.ObjectValue(attributes));
        return accept(reader.job(body, key, null));
    }

    private Acceptance accept(NewRow row) {
        Acceptance acceptance = outbox.accept(row);
        if (acceptance instanceof Acceptance.Queued) {
            courier.wake();
        }
        return acceptance;
    }

    /** The rows of the outbox, to look at and to requeue. */
    public Outbox outbox() {
        return outbox;
    }

    /** What was received. */
    public Inbox inbox() {
        return inbox;
    }

    /** Whether it delivers, or why not. */
    public DeliveryState delivery() {
        return courier.state();
    }

    /** How many rows it has delivered since it was started. */
    public long delivered() {
        return courier.delivered();
    }

    /** Whether it is healthy, and the details. */
    public DaemonStatus status() {
        return status;
    }

    /** The loopback port; 0 if there is none. */
    public int tcpPort() {
        return tcpPort;
    }

    /** Turns what the courier reports into events. Losing one of them loses no row. */
    private final class Reporter implements DeliveryListener {

        private final Ids ids;

        Reporter(Ids ids) {
            this.ids = ids;
        }

        @Override
        public void dead(OutboxRow row, String error) {
            report(
                    InboxEvent.Kind.DEAD,
                    row.id(),
                    Map.of(
                            "id", Json.of(row.id()),
                            "client_message_id", Json.of(row.key().value()),
                            "destination", Json.of(row.to().toString()),
                            "reason", Json.of(error)));
        }

        @Override
        public void changed(DeliveryState state) {
            Map<String, Json> members = new TreeMap<>();
            members.put("delivery", Json.of(state.kind().word()));
            if (state.code() != null) {
                members.put("code", Json.of(state.code()));
            }
            if (state.reason() != null) {
                members.put("reason", Json.of(state.reason()));
            }
            report(InboxEvent.Kind.DELIVERY, ids.next().toString(), members);
        }

        private void report(InboxEvent.Kind kind, String subject, Map<String, Json> members) {
            try {
                inbox.add(List.of(new Inbox.NewEvent(kind, subject, new Json.ObjectValue(members).canonical())));
            } catch (StorageException e) {
                LOG.warn("cannot keep an event: {}", e.getMessage());
            }
        }
    }

    /** Drops what is kept for a time only: at the start and once an hour, or soon if the outbox is nearly full. */
    private void maintain() {
        try {
            int turn = 0;
            do {
                if (outbox.isNearlyFull()) {
                    LOG.warn("the outbox is at {} bytes, close to its limit", outbox.usedBytes());
                }
                if (outbox.isNearlyFull() || turn % MAINTENANCES_AN_HOUR == 0) {
                    tidyUp();
                }
                turn++;
            } while (!closing.await(MAINTENANCE.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tidyUp() {
        try {
            int dropped = outbox.dropPayloads(this::rest);
            LOG.debug("dropped {} payloads", dropped);
            inbox.forgetOld();
        } catch (StorageException e) {
            LOG.warn("cannot tidy up: {}", e.getMessage());
        }
    }

    /** Tidying up gets a tenth of the time, so that a million old rows do not slow down those who send. */
    private boolean rest(Duration busy) {
        try {
            return !closing.await(RESTS_PER_WORK * busy.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private <T extends AutoCloseable> T open(T part) {
        return opened.add(part);
    }

    @Override
    public void close() {
        closing.countDown();
        closeOpened();
    }

    private void closeOpened() {
        try {
            opened.close();
        } catch (IllegalStateException e) {
            LOG.warn("cannot close everything", e);
        }
    }
}
