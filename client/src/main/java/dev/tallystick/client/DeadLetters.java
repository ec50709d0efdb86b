package dev.tallystick.client;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Failed jobs that no other job waits for: redrive or discard them. Thread-safe. */
public final class DeadLetters {

    private static final String PATH = "/v1/deadletters";

    private final Transport transport;

    DeadLetters(Transport transport) {
        this.transport = transport;
    }

    /**
     * A failed job.
     *
     * @param ceiling whether a ledger was full, which no repetition fixes
     * @param redrivenAs the job that replaces it; null while there is none
     */
    public record DeadLetter(
            UUID job,
            String workflow,
            int version,
            String reason,
            boolean ceiling,
            Instant raisedAt,
            @Nullable UUID redrivenAs) {

        static DeadLetter of(Fields fields) {
            return new DeadLetter(
                    fields.text("job_id", UUID::fromString),
                    fields.text("workflow"),
                    fields.count("version"),
                    fields.text("reason"),
                    fields.flag("ceiling"),
                    fields.text("raised_at", Instant::parse),
                    fields.optionalText("redriven_as", UUID::fromString));
        }
    }

    /**
     * Some dead letters that have not been redriven, the oldest first.
     *
     * @param next the job to continue after; null on the last page
     */
    public record Page(List<DeadLetter> letters, @Nullable UUID next) {}

    /**
     * A job that replaces a failed one.
     *
     * @param continuedFrom the failed job
     */
    public record Redriven(UUID job, UUID continuedFrom) {}

    /** A page of dead letters; {@code after} is the {@link Page#next()} of the previous page, null for the first. */
    public Page list(@Nullable UUID after, int limit) {
        return transport.ask(
                new Query(PATH).with("after", after).with("limit", limit).read(),
                page -> new Page(page.list("letters", DeadLetter::of), page.optionalText("next", UUID::fromString)));
    }

    /** A dead letter, even if it was redriven. */
    public DeadLetter find(UUID job) {
        return transport.ask(Request.get(path(job)), letter -> DeadLetter.of(letter.about("job_id", job)));
    }

    /** Runs the job again from where it failed. Happens once: asking again gives the same job. */
    public Redriven redrive(UUID job) {
        return transport.ask(
                Request.post(path(job) + "/redrive", null),
                redriven -> new Redriven(
                        redriven.text("job_id", UUID::fromString), redriven.text("continued_from", UUID::fromString)));
    }

    /** Leaves the job as it is. */
    public void discard(UUID job) {
        transport.tell(Request.delete(path(job)));
    }

    private static String path(UUID job) {
        return PATH + "/" + job;
    }
}
