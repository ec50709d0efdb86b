package dev.tallystick.daemon;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.delivery.Courier;
import dev.tallystick.daemon.delivery.DeliveryState;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.local.EventSource;
import dev.tallystick.daemon.local.LocalServices;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.SendLimits;
import dev.tallystick.daemon.storage.StorageException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How the daemon is, and what it has, for its local interface. Thread-safe. */
public final class DaemonStatus implements LocalServices {

    /** A daemon that has something to forward, and has forwarded nothing for so long, is not healthy. */
    private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(1);

    private static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final int EVENTS_AT_ONCE = 100;

    private final Outbox outbox;
    private final Inbox inbox;
    private final Courier courier;
    private final Identity identity;
    private final InstantSource clock;
    private final String version;

    DaemonStatus(Outbox outbox, Inbox inbox, Courier courier, Identity identity, InstantSource clock, String version) {
        this.outbox = outbox;
        this.inbox = inbox;
        this.courier = courier;
        this.identity = identity;
        this.clock = clock;
        this.version = version;
    }

    @Override
    public SendLimits limits() {
        return courier.limits();
    }

    @Override
    public void added() {
        courier.wake();
    }

    @Override
    public boolean release(String row) {
        return courier.release(row);
    }

    @Override
    public Json.ObjectValue rotateKey(@Nullable Duration grace) {
        try {
            identity.rotate(grace);
        } catch (IOException e) {
            throw new StorageException(
                    StorageException.Kind.UNAVAILABLE, "cannot write " + Identity.FILE + ": " + e, e);
        }
        courier.meetAgain();
        return new Json.ObjectValue(identity.view());
    }

    @Override
    public Health health() {
        DeliveryState state = courier.state();
        Map<OutboxState, Long> counts = outbox.counts();
        Optional<Instant> oldest = outbox.oldest();
        Instant now = clock.instant();
        boolean isStuck = oldest.filter(since -> isLongAgo(since, now)).isPresent()
                && courier.lastDelivery().filter(last -> !isLongAgo(last, now)).isEmpty();
        boolean isHealthy = state.isDelivering() && !isStuck && !outbox.isFull();
        Map<String, Json> members = new TreeMap<>(identity.view());
        members.put("healthy", Json.of(isHealthy));
        members.put(
                "delivery",
                Json.of(isStuck && state.isDelivering() ? "stuck" : state.kind().word()));
        members.put("since", Json.of(state.since().toString()));
        members.put("pending", Json.of(counts.getOrDefault(OutboxState.PENDING, 0L)));
        members.put("inflight", Json.of(counts.getOrDefault(OutboxState.INFLIGHT, 0L)));
        members.put("dead", Json.of(counts.getOrDefault(OutboxState.DEAD, 0L)));
        members.put("delivered", Json.of(courier.delivered()));
        members.put("outbox_bytes", Json.of(outbox.usedBytes()));
        members.put("pid", Json.of(ProcessHandle.current().pid()));
        oldest.ifPresent(since -> members.put(
                "oldest_seconds",
                Json.of(Math.max(0, Duration.between(since, now).toSeconds()))));
        if (state.code() != null) {
            members.put("code", Json.of(state.code()));
        }
        String reason = state.reason() == null && outbox.isFull() ? "the outbox is full" : state.reason();
        if (reason != null) {
            members.put("reason", Json.of(reason));
        }
        courier.server().ifPresent(server -> members.put("member", Json.of(server.mesh() + "/" + server.member())));
        return new Health(isHealthy, new Json.ObjectValue(members));
    }

    private static boolean isLongAgo(Instant moment, Instant now) {
        return moment.plus(LONGEST_STANDSTILL).isBefore(now);
    }

    @Override
    public String metrics() {
        Map<OutboxState, Long> counts = outbox.counts();
        StringBuilder text = new StringBuilder(1024);
        text.append("# HELP tally_outbox_rows Rows of the outbox that are not settled, or dead.\n")
                .append("# TYPE tally_outbox_rows gauge\n");
        for (OutboxState state : List.of(OutboxState.PENDING, OutboxState.INFLIGHT, OutboxState.DEAD)) {
            text.append(
                    "tally_outbox_rows{status=\"%s\"} %d\n".formatted(state.word(), counts.getOrDefault(state, 0L)));
        }
        gauge(text, "tally_outbox_bytes", "The size of what is in the outbox.", outbox.usedBytes());
        gauge(
                text,
                "tally_outbox_oldest_seconds",
                "The age of the oldest row that is not settled.",
                outbox.oldest()
                        .map(since -> Math.max(
                                0, Duration.between(since, clock.instant()).toSeconds()))
                        .orElse(0L));
        gauge(text, "tally_daemon_healthy", "1 if the daemon forwards what it has.", health().isHealthy() ? 1 : 0);
        text.append("# HELP tally_outbox_delivered_total Rows delivered since the start.\n")
                .append("# TYPE tally_outbox_delivered_total counter\n")
                .append("tally_outbox_delivered_total %d\n".formatted(courier.delivered()));
        return text.toString();
    }

    private static void gauge(StringBuilder text, String name, String help, long value) {
        text.append("# HELP %s %s\n# TYPE %s gauge\n%s %d\n".formatted(name, help, name, name, value));
    }

    @Override
    public Json.ObjectValue inbox(long after, int limit) {
        List<InboxEvent> events = inbox.after(after, InboxEvent.Kind.MESSAGE, limit);
        Map<String, Json> members = new TreeMap<>();
        members.put(
                "messages",
                new Json.ArrayValue(events.stream().<Json>map(InboxEvent::json).toList()));
        members.put("next", Json.of(events.isEmpty() ? after : events.getLast().position()));
        return new Json.ObjectValue(members);
    }

    @Override
    public EventSource events(long after) {
        return new EventSource() {

            private long position = after;

            @Override
            public String next() throws InterruptedException {
                if (!inbox.await(position, HEARTBEAT)) {
                    return ":\n\n";
                }
                long newest = inbox.newest();
                StringBuilder text = new StringBuilder();
                for (InboxEvent event : inbox.after(position, null, EVENTS_AT_ONCE)) {
                    position = event.position();
                    text.append("id: %d\nevent: %s\ndata: %s\n\n"
                            .formatted(
                                    event.position(),
                                    event.kind().word(),
                                    event.json().canonical()));
                }
                if (text.isEmpty()) {
                    position = newest;
                    return ":\n\n";
                }
                return text.toString();
            }
        };
    }

    @Override
    public String version() {
        return version;
    }
}
