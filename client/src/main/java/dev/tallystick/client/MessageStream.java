package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Follows a history through server-sent events, over as many connections as it takes. */
final class MessageStream implements Following<Messages.Entry> {

    /** A server gives a sign of life every ten seconds or so. */
    static final Duration SILENCE = Duration.ofSeconds(40);

    private static final Duration BETWEEN_CONNECTIONS = Duration.ofMillis(100);
    private static final String DATA = "data:";

    private final Exchange exchange;
    private final LongFunction<Request> request;
    private final Duration silence;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Lines lines;
    private long lastSign;
    private long position;

    /** What has come of an event that is not complete yet; of one that breaks off nothing is given. */
    private @Nullable String data;

    /**
     * @param request asks for what comes after a position
     * @param silence after how much of it the other side is taken for gone
     */
    MessageStream(Exchange exchange, LongFunction<Request> request, long after, Duration silence) {
        this.exchange = exchange;
        this.request = request;
        this.silence = silence;
        this.position = after;
    }

    @Override
    public Optional<Messages.Entry> next(Duration wait) {
        long deadline = System.nanoTime() + wait.toNanos();
        try {
            while (!isOver()) {
                Lines open = lines;
                if (open == null) {
                    open = connect();
                }
                long left = Math.max(0, deadline - System.nanoTime());
                Optional<String> line = open.next(Duration.ofNanos(Math.min(left, silence.toNanos())));
                if (line.isPresent()) {
                    lastSign = System.nanoTime();
                    Optional<Messages.Entry> entry = entry(line.get());
                    if (entry.isPresent()) {
                        return entry;
                    }
                } else {
                    hangUpIfDead(open);
                    if (System.nanoTime() - deadline >= 0) {
                        return Optional.empty();
                    }
                }
            }
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", e);
        }
    }

    private Lines connect() {
        Lines opened = exchange.open(request.apply(position));
        lines = opened;
        lastSign = System.nanoTime();
        data = null;
        if (isOver()) {
            opened.close();
        }
        return opened;
    }

    private void hangUpIfDead(Lines open) throws InterruptedException {
        if (open.isEnded() || System.nanoTime() - lastSign >= silence.toNanos()) {
            lines = null;
            open.close();
            boolean unused = closed.await(BETWEEN_CONNECTIONS.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** An event ends with an empty line; all that is to be known of one stands in its data. */
    private Optional<Messages.Entry> entry(String line) {
        if (line.startsWith(DATA)) {
            data = line.substring(DATA.length());
        }
        if (!line.isEmpty() || data == null) {
            return Optional.empty();
        }
        Messages.Entry entry =
                Messages.Entry.of(Fields.of(Json.parse(data.getBytes(StandardCharsets.UTF_8), Exchange.ANSWER)));
        data = null;
        position = entry.position();
        return Optional.of(entry);
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public boolean isOver() {
        return closed.getCount() == 0;
    }

    @Override
    public void close() {
        closed.countDown();
        Lines open = lines;
        if (open != null) {
            open.close();
        }
    }
}
