package dev.tallystick.server;

import dev.tallystick.broker.Bells;
import dev.tallystick.broker.History;
import dev.tallystick.broker.Members;
import dev.tallystick.sql.TransactionException;
import io.helidon.webserver.CloseConnectionException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events from a history. The id of an event is its position, so a client that reconnects with the last id it saw
 * continues after it. The stream ends by itself after a while; clients of such streams reconnect.
 */
final class EventStream {

    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);

    private static final int PAGE = 100;
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final Bells bells;
    private final Waits waits;

    EventStream(Bells bells, Waits waits) {
        this.bells = bells;
        this.waits = waits;
    }

    /** Reads the events after a position. */
    @FunctionalInterface
    interface Reader {
        History.Page read(long after, int limit);
    }

    /** The stream ends when the caller loses the right to read it. */
    Answer from(Call call, long position, Reader reader) {
        return new Answer.Stream("text/event-stream", out -> {
            try {
                write(out, call, position, reader);
            } catch (InterruptedException | TransactionException e) {
                // The stream has begun, so it cannot become a problem document. Readers reconnect, and miss nothing.
                LOG.debug("a stream breaks off: {}", e.toString());
                throw new CloseConnectionException("the stream breaks off", e);
            }
        });
    }

    private void write(OutputStream out, Call call, long position, Reader reader)
            throws IOException, InterruptedException {
        Semaphore rung = new Semaphore(0);
        long deadline = System.nanoTime() + waits.longest().toNanos();
        long after = position;
        out.write(": hello\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        Bells.Listening listening = bells.listen(rung::release);
        try (Waits.Waiting waiting = waits.begin(call.member().mesh())) {
            while (System.nanoTime() - deadline < 0 && call.isStillAdmitted()) {
                waiting.goOn();
                History.Page page = reader.read(after, PAGE);
                for (History.Entry entry : page.entries()) {
                    out.write(event(entry).getBytes(StandardCharsets.UTF_8));
                }
                out.flush();
                after = page.next();
                if (page.entries().size() < PAGE) {
                    awaitRing(out, rung, waiting, call);
                    waiting.pause(waiting.pace(Duration.ZERO));
                }
                rung.drainPermits();
            }
        } finally {
            listening.close();
        }
    }

    /** Until the next heartbeat at most, and only while the caller is still admitted. */
    private static void awaitRing(OutputStream out, Semaphore rung, Waits.Waiting waiting, Call call)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + HEARTBEAT.toNanos();
        while (call.isStillAdmitted()) {
            if (waiting.in(() -> rung.tryAcquire(Members.BELIEVED.toMillis(), TimeUnit.MILLISECONDS))) {
                return;
            }
            if (System.nanoTime() - deadline >= 0) {
                out.write(": still here\n\n".getBytes(StandardCharsets.UTF_8));
                return;
            }
        }
    }

    private static String event(History.Entry entry) {
        StringBuilder event = new StringBuilder("id: ").append(entry.position()).append("\nevent: message\ndata: ");
        MessageRoutes.Page.Entry body = MessageRoutes.Page.entry(entry);
        Shape.of(body.getClass()).write(body, event);
        return event.append("\n\n").toString();
    }
}
