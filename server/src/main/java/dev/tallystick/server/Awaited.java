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
 * gone away is noticed, before something is handed out to it that nobody would get.
 */
final class Awaited {

    /** By then the machine of a caller that has gone away has refused a blank, and the next one fails. */
    private static final Duration ECHO = Duration.ofMillis(2);

    private final Waits waits;
    private final Bells bells;
    private final Duration lookAgain;

    Awaited(Waits waits, Bells bells, Duration lookAgain) {
        this.waits = waits;
        this.bells = bells;
        this.lookAgain = lookAgain;
    }

    /**
     * Answers with what there is, as soon as there is something.
     *
     * @param look empty if there is nothing yet
     * @param nothing the answer when the time is over, or the server stops
     */
    Answer answer(Duration patience, Supplier<? extends Optional<? extends Record>> look, Record nothing) {
        long deadline = System.nanoTime() + patience.toNanos();
        Optional<? extends Record> found = look.get();
        if (found.isPresent() || patience.isZero()) {
            return Answer.ok(found.isPresent() ? found.get() : nothing);
        }
        return new Answer.Stream(Answer.JSON, out -> {
            Optional<? extends Record> late = await(out, deadline, look);
            out.write(Answer.json(late.isPresent() ? late.get() : nothing));
        });
    }

    private Optional<? extends Record> await(
            OutputStream out, long deadline, Supplier<? extends Optional<? extends Record>> look) throws IOException {
        Semaphore rung = new Semaphore(0);
        Bells.Listening listening = bells.listen(rung::release);
        try {
            while (true) {
                Optional<? extends Record> found = lookWhateverFails(look);
                long left = deadline - System.nanoTime();
                if (found.isPresent() || left <= 0) {
                    return found;
                }
                waits.in(() -> rung.tryAcquire(Math.min(left, lookAgain.toNanos()), TimeUnit.NANOSECONDS));
                rung.drainPermits();
                sendBlank(out);
                waits.pause(ECHO);
                sendBlank(out);
            }
        } catch (InterruptedException stopping) {
            return Optional.empty();
        } finally {
            listening.close();
        }
    }

    /** The database may be back before the time is over; if it is not, the next request is told so. */
    private static Optional<? extends Record> lookWhateverFails(Supplier<? extends Optional<? extends Record>> look) {
        try {
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
