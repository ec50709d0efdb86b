package dev.tallystick.daemon.inbox;

import dev.tallystick.client.Deliveries;
import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyException;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.storage.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the member's messages and mentions. A message is leased, written, and only then acknowledged; if the daemon dies in
 * between, it comes again and is kept once. Thread-safe.
 */
public final class Receiver implements AutoCloseable {

    private static final String MENTIONS = "mentions";
    private static final int AT_ONCE = 100;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    private static final Duration STOPPING = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(Receiver.class);

    private final Inbox inbox;
    private final Supplier<Optional<TallyClient>> server;
    private final Settings settings;
    private final List<Thread> threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private volatile boolean closed;

    /**
     * How to receive.
     *
     * @param lease for how long messages are leased
     * @param patience how long the server waits for a message before it answers that there is none
     */
    public record Settings(Duration lease, Duration patience) {

        public static final Settings DEFAULT = new Settings(Duration.ofSeconds(30), Duration.ofSeconds(20));
    }

    /** @param server empty while there is no connection */
    public Receiver(Inbox inbox, Supplier<Optional<TallyClient>> server, Settings settings) {
        this.inbox = inbox;
        this.server = server;
        this.settings = settings;
        this.threads = List.of(
                Thread.ofVirtual().name("tally-receiver").unstarted(() -> repeat(this::receive)),
                Thread.ofVirtual().name("tally-mentions").unstarted(() -> repeat(this::followMentions)));
    }

    public void start() {
        threads.forEach(Thread::start);
    }

    private interface Turn {
        /** How long to wait for the next turn. */
        Duration take(TallyClient client) throws InterruptedException;
    }

    private void repeat(Turn turn) {
        while (!closed) {
            Duration pause = AFTER_FAILURE;
            try {
                Optional<TallyClient> client = server.get();
                if (client.isPresent()) {
                    pause = turn.take(client.get());
                }
            } catch (InterruptedException e) {
                return;
            } catch (TallyException | StorageException e) {
                LOG.debug("cannot receive now: {}", e.getMessage());
            } catch (RuntimeException e) {
                LOG.error("receiving failed unexpectedly", e);
            }
            rest(pause);
        }
    }

    private void rest(Duration pause) {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!closed && left > 0) {
                left = closing.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private Duration receive(TallyClient client) {
        Deliveries deliveries = client.deliveries();
        List<Deliveries.Delivery> leased = deliveries.take(
                Deliveries.Take.atMost(AT_ONCE).leasedFor(settings.lease()).waiting(settings.patience()));
        if (!leased.isEmpty()) {
            inbox.add(leased.stream()
                    .map(each -> event(InboxEvent.Kind.MESSAGE, each.message()))
                    .toList());
            List<Deliveries.Outcome> unused = deliveries.acknowledge(leased);
            inbox.acknowledged();
        }
        return Duration.ZERO;
    }

    private Duration followMentions(TallyClient client) {
        Messages.Page page = client.messages().mentions(inbox.cursor(MENTIONS), AT_ONCE);
        if (page.entries().isEmpty()) {
            return BETWEEN_LOOKS;
        }
        inbox.add(
                page.entries().stream()
                        .map(each -> event(InboxEvent.Kind.MENTION, each.message()))
                        .toList(),
                MENTIONS,
                page.next());
        return Duration.ZERO;
    }

    private static Inbox.NewEvent event(InboxEvent.Kind kind, Messages.Message message) {
        Map<String, Json> members = new TreeMap<>();
        members.put("message_id", Json.of(message.id().toString()));
        members.put("from", Json.of(message.from()));
        members.put("to", Json.of(message.to().toString()));
        members.put("message", message.body());
        members.put("priority", Json.of(message.priority().word()));
        members.put("accepted_at", Json.of(message.acceptedAt().toString()));
        members.put(
                "mentions",
                new Json.ArrayValue(
                        message.mentions().stream().<Json>map(Json::of).toList()));
        if (!message.meta().members().isEmpty()) {
            members.put("meta", message.meta());
        }
        if (message.replyTo() != null) {
            members.put("reply_to", Json.of(message.replyTo()));
        }
        if (message.key() != null) {
            members.put("client_message_id", Json.of(message.key()));
        }
        return new Inbox.NewEvent(kind, message.id().toString(), new Json.ObjectValue(members).canonical());
    }

    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            closing.signalAll();
        } finally {
            lock.unlock();
        }
        for (Thread each : threads) {
            each.interrupt();
            try {
                boolean unused = each.isAlive() && each.join(STOPPING);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
