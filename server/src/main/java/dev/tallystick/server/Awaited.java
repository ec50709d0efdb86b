package dev.tallystick.server;

import dev.tallystick.broker.Bells;
import dev.tallystick.sql.TransactionException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Answers that are waited for. While there is none blanks are sent, which JSON permits before a value: by them a caller that has
 * gone away is noticed, before something is handed out to it that nobody would get. A caller that may not be here any more gets
 * nothing.
 */
final class Awaited {

    /** By then the machine of a caller that has gone away has refused a blank, if it is near, and the next one fails. */
    private static final Duration ECHO = Duration.ofMillis(2);

    private final Waits waits;
    private final Bells bells;
    private final Duration lookAgain;

    Awaited(Waits waits, Bells bells, Duration lookAgain) {
        this.waits = waits;
        this.bells = bells;
        this.lookAgain = lookAgain;
    }

    /** For something that nobody rings for. */
    Awaited(Waits waits, Duration lookAgain) {
        this(waits, new Bells(), lookAgain);
    }

    /**
     * Answers with what there is, as soon as there is something.
     *
     * @param look empty if there is nothing yet
     * @param nothing the answer when the time is over, the caller may not be here any more, or the server stops
     */
    Answer answer(Call call, Duration patience, Supplier<? extends Optional<? extends Record>> look, Record nothing) {
        long deadline = System.nanoTime() + patience.toNanos();
        Optional<? extends Record> found = look.get();
        if (found.isPresent() || patience.isZero()) {
            return Answer.ok(found.isPresent() ? found.get() : nothing);
        }
        return new Answer.Stream(Answer.JSON, out -> {
            Optional<? extends Record> late = await(out, deadline, call, look);
            out.write(Answer.json(late.isPresent() ? late.get() : nothing));
        });
    }

    private Optional<? extends Record> await(
            OutputStream out, long deadline, Call call, Supplier<? extends Optional<? extends Record>> look)
            throws IOException {
        Semaphore rung = new Semaphore(0);
        Bells.Listening listening = bells.listen(rung::release);
        try (Waits.Waiting waiting = waits.begin()) {
            while (true) {
                Optional<? extends Record> found = lookUnlessAway(call, look);
                long left = deadline - System.nanoTime();
                if (found.isPresent() || left <= 0) {
                    return found;
                }
                waiting.in(() -> rung.tryAcquire(Math.min(left, lookAgain.toNanos()), TimeUnit.NANOSECONDS));
                rung.drainPermits();
                sendBlank(out);
                waiting.pause(ECHO);
                sendBlank(out);
            }
        } catch (InterruptedException | Problem refused) {
            // The answer has begun, so it cannot become a problem document. The next request is told.
            return Optional.empty();
        } finally {
            listening.close();
        }
    }

    /** The database may be back before the time is over; if it is not, the next request is told so. */
    private static Optional<? extends Record> lookUnlessAway(
            Call call, Supplier<? extends Optional<? extends Record>> look) {
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
