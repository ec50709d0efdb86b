package dev.tallystick.server.http;

import dev.tallystick.broker.NewMessageSignal;
import dev.tallystick.sql.TransactionException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Answers to long polls. While there is none, blanks are sent, which JSON permits before a value: they reveal a caller that has
 * disconnected, before something is handed out to it. A caller whose token is no longer valid gets nothing.
 */
public final class LongPollAnswer {

    /** By then the machine of a disconnected caller has refused a blank, if it is near, and the next one fails. */
    private static final Duration ECHO = Duration.ofMillis(2);

    private final LongPolls longPolls;
    private final NewMessageSignal newMessageSignal;
    private final Duration lookAgain;

    public LongPollAnswer(LongPolls longPolls, NewMessageSignal newMessageSignal, Duration lookAgain) {
        this.longPolls = longPolls;
        this.newMessageSignal = newMessageSignal;
        this.lookAgain = lookAgain;
    }

    /** For events that ring no bell. */
    public LongPollAnswer(LongPolls longPolls, Duration lookAgain) {
        this(longPolls, new NewMessageSignal(), lookAgain);
    }

    /**
     * Answers as soon as there is something.
     *
     * @param look empty if there is nothing yet
     * @param nothing the answer when the time is over, the caller is no longer admitted, or the server stops
     */
    public <T extends Record> Answer answer(Call call, Duration patience, Supplier<Optional<T>> look, T nothing) {
        long deadline = System.nanoTime() + patience.toNanos();
        Optional<T> found = look.get();
        return found.isPresent() || patience.isZero()
                ? Answer.ok(found.orElse(nothing))
                : new Answer.Stream(
                        Answer.JSON,
                        out -> out.write(
                                Answer.json(await(out, deadline, call, look).orElse(nothing))));
    }

    private <T extends Record> Optional<T> await(OutputStream out, long deadline, Call call, Supplier<Optional<T>> look)
            throws IOException {
        Semaphore rung = new Semaphore(0);
        NewMessageSignal.Listening listening = newMessageSignal.listen(rung::release);
        try (LongPolls.Waiting waiting = longPolls.begin(call.member().mesh())) {
            while (true) {
                Optional<T> found = lookUnlessAway(call, look);
                long left = deadline - System.nanoTime();
                if (found.isPresent() || left <= 0) {
                    return found;
                }
                waiting.in(() ->
                        rung.tryAcquire(Math.min(left, waiting.pace(lookAgain).toNanos()), TimeUnit.NANOSECONDS));
                rung.drainPermits();
                sendBlank(out);
                waiting.pause(waiting.pace(ECHO));
                sendBlank(out);
            }
        } catch (InterruptedException | Problem refused) {
            // The answer has begun, so it cannot become a problem document. The next request gets the problem.
            return Optional.empty();
        } finally {
            listening.close();
        }
    }

    /** The database may be back before the time is over; if not, the next request gets the problem. */
    private static <T extends Record> Optional<T> lookUnlessAway(Call call, Supplier<Optional<T>> look) {
        try {
            call.admitAgain();
            return look.get();
        } catch (TransactionException away) {
            return Optional.empty();
        }
    }

    private static void sendBlank(OutputStream out) throws IOException {
        out.write(' ');
        out.flush();
    }
}
