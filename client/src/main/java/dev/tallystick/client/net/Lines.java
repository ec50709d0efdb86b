package dev.tallystick.client.net;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a streaming answer, with back-pressure: a slow reader slows down the server. Lines have a maximum length; a
 * longer line ends the answer. Read by one thread; closed by any.
 */
public final class Lines implements HttpResponse.BodySubscriber<Lines>, AutoCloseable {

    /** Some lines, or the end if there are none. */
    private record Arrival(List<String> lines) {}

    private static final Arrival END = new Arrival(List.of());

    private final int longest;
    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private final Deque<String> arrived = new ArrayDeque<>();
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private volatile Flow.@Nullable Subscription subscription;
    private volatile boolean closed;
    private volatile boolean overlong;
    private boolean ended;

    /** @param longest the maximum length of a line, in bytes */
    public Lines(int longest) {
        this.longest = longest;
    }

    /** The next line; empty if none came in time, or if the answer has ended. */
    public Optional<String> next(Duration wait) throws InterruptedException {
        if (arrived.isEmpty() && !ended) {
            Arrival arrival = arrivals.poll(Durations.nanos(wait), TimeUnit.NANOSECONDS);
            if (arrival != null) {
                arrived.addAll(arrival.lines());
                ended = arrival.lines().isEmpty();
                request();
            }
        }
        return Optional.ofNullable(arrived.poll());
    }

    /** Whether the answer ended because a line was too long. */
    public boolean isOverlong() {
        return overlong;
    }

    /** Closes the connection, and wakes waiting threads. */
    @Override
    public void close() {
        closed = true;
        cancel();
        arrivals.add(END);
    }

    @Override
    public CompletionStage<Lines> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription opened) {
        subscription = opened;
        if (closed) {
            opened.cancel();
        } else {
            opened.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        List<String> lines = new ArrayList<>();
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            int from = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == '\n') {
                    begun.write(bytes, from, i - from);
                    lines.add(withoutReturn(begun.toString(StandardCharsets.UTF_8)));
                    begun.reset();
                    from = i + 1;
                }
            }
            begun.write(bytes, from, bytes.length - from);
        }
        if (begun.size() > longest) {
            overlong = true;
            cancel();
            arrivals.add(END);
        } else if (lines.isEmpty()) {
            request();
        } else {
            arrivals.add(new Arrival(lines));
        }
    }

    private static String withoutReturn(String line) {
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    /** To a reader that reconnects, a broken stream and a finished one are the same. */
    @Override
    public void onError(Throwable failure) {
        arrivals.add(END);
    }

    @Override
    public void onComplete() {
        arrivals.add(END);
    }

    private void request() {
        Flow.Subscription opened = subscription;
        if (opened != null) {
            opened.request(1);
        }
    }

    private void cancel() {
        Flow.Subscription opened = subscription;
        if (opened != null) {
            opened.cancel();
        }
    }
}
