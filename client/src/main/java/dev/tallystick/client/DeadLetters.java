package dev.tallystick.client;

import dev.tallystick.core.api.JobApi.Letter;
import dev.tallystick.core.api.JobApi.Letters;
import dev.tallystick.core.api.JobApi.Redriven;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Failed jobs that no other job waits for: redrive or discard them. Thread-safe. */
public final class DeadLetters {

    private static final String PATH = "/v1/deadletters";

    private final Transport transport;

    DeadLetters(Transport transport) {
        this.transport = transport;
    }

    /** A page of dead letters; {@code after} is the {@link Letters#next()} of the previous page, null for the first. */
    public Letters list(@Nullable UUID after, int limit) {
        return transport.ask(
                new Query(PATH).with("after", after).with("limit", limit).read(), Letters.class);
    }

    /** A dead letter, even if it was redriven. */
    public Letter find(UUID job) {
        return transport.ask(Request.get(path(job)), Letter.class, Letter::jobId, job);
    }

    /** Runs the job again from where it failed. Happens once: asking again gives the same job. */
    public Redriven redrive(UUID job) {
        return transport.ask(Request.post(path(job) + "/redrive"), Redriven.class);
    }

    /** Leaves the job as it is. */
    public void discard(UUID job) {
        transport.tell(Request.delete(path(job)));
    }

    private static String path(UUID job) {
        return PATH + "/" + job;
    }
}
