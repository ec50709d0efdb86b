package dev.tallystick.server.routes;

import dev.tallystick.broker.NewMessageSignal;
import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.message.History;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPolls;
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
public final class ServerSentEvents {

    private static final Logger LOG = LoggerFactory.getLogger(ServerSentEvents.class);

    private static final int PAGE = 100;
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final NewMessageSignal newMessageSignal;
    private final LongPolls longPolls;

    public ServerSentEvents(NewMessageSignal newMessageSignal, LongPolls longPolls) {
        this.newMessageSignal = newMessageSignal;
        this.longPolls = longPolls;
    }

    /** Reads the events after a position. */
    @FunctionalInterface
    public interface Reader {
        History.Page read(long after, int limit);
    }

    /** The stream ends when the caller loses the right to read it. */
    public Answer from(Call call, long position, Reader reader) {
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
        long deadline = System.nanoTime() + longPolls.longest().toNanos();
        long after = position;
        out.write(": hello\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        NewMessageSignal.Listening listening = newMessageSignal.listen(rung::release);
        try (LongPolls.Waiting waiting = longPolls.begin(call.member().mesh())) {
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
    private static void awaitRing(OutputStream out, Semaphore rung, LongPolls.Waiting waiting, Call call)
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
        event.append(RecordBinding.text(MessageRoutes.entry(entry)));
        return event.append("\n\n").toString();
    }
}
