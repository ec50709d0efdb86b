package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.client.net.Lines;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.api.MessageApi.Page;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads a history through server-sent events, reconnecting as often as necessary. An invalid event ends its connection and is
 * requested again: none is skipped.
 */
final class MessageStream implements Feed.Source<Messages.Entry> {

    /** A server sends a heartbeat about every ten seconds. */
    static final Duration SILENCE = Duration.ofSeconds(40);

    private static final Duration BETWEEN_CONNECTIONS = Duration.ofMillis(100);
    private static final String DATA = "data:";

    private final Transport transport;
    private final LongFunction<Request> request;
    private final Duration silence;

    /**
     * @param request requests the events after a position
     * @param silence after this much silence the connection counts as dead
     */
    MessageStream(Transport transport, LongFunction<Request> request, Duration silence) {
        this.transport = transport;
        this.request = request;
        this.silence = silence;
    }

    @Override
    public void read(long after, Feed.Sink<Messages.Entry> sink) throws InterruptedException {
        long position = after;
        @Nullable Long troubleSince = null;
        while (true) {
            long before = position;
            try (Lines lines = transport.open(request.apply(position))) {
                Events events = new Events(lines, position);
                for (Optional<Messages.Entry> entry = events.next(); entry.isPresent(); entry = events.next()) {
                    position = entry.get().position();
                    sink.give(position, entry.get());
                }
            } catch (ForeignAnswer e) {
                long now = System.nanoTime();
                if (troubleSince == null || position > before) {
                    troubleSince = now;
                } else if (now - troubleSince > Durations.nanos(transport.patience())) {
                    throw unreadable(position, e);
                }
            }
            LockSupport.parkNanos(BETWEEN_CONNECTIONS.toNanos());
        }
    }

    private static UnavailableException unreadable(long position, ForeignAnswer e) {
        String why = "what comes after position " + position + " is not an event of ours: " + e.getMessage();
        return new UnavailableException(why, new AttemptFailure(AttemptFailure.Kind.FOREIGN_ANSWER, 200, why), e);
    }

    /** The events of one connection. For one thread. */
    private final class Events {

        private final Lines lines;
        private long position;

        /** The parts of an incomplete event; an event that breaks off is not delivered. */
        private @Nullable String data;

        Events(Lines lines, long after) {
            this.lines = lines;
            this.position = after;
        }

        /** The next event; empty when the connection has ended, or counts as dead. */
        Optional<Messages.Entry> next() throws InterruptedException {
            for (Optional<String> line = lines.next(silence); line.isPresent(); line = lines.next(silence)) {
                if (line.get().startsWith(DATA)) {
                    data = line.get().substring(DATA.length());
                } else if (line.get().isEmpty() && data != null) {
                    Messages.Entry entry = entry(data);
                    data = null;
                    return Optional.of(entry);
                }
            }
            if (lines.isOverlong()) {
                throw new ForeignAnswer("it has a line that is longer than any event");
            }
            return Optional.empty();
        }

        /** The data of an event contains everything about it. */
        private Messages.Entry entry(String text) {
            Messages.Entry entry;
            try {
                Json json = Json.parse(text.getBytes(StandardCharsets.UTF_8), Answers.LARGEST);
                entry = Messages.Entry.of(Reply.read(json, Page.Entry.class));
            } catch (JsonRefused e) {
                throw new ForeignAnswer("it has data that are no JSON: " + e.getMessage(), e);
            }
            if (entry.position() <= position) {
                throw new ForeignAnswer("position " + entry.position() + " comes after position " + position);
            }
            position = entry.position();
            return entry;
        }
    }
}
