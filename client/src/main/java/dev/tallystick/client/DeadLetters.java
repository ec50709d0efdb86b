package dev.tallystick.client;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs that failed, that nobody waits for, and about which somebody has to decide. Thread-safe. */
public final class DeadLetters {

    private static final String PATH = "/v1/deadletters";

    private final Exchange exchange;

    DeadLetters(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * A job that failed.
     *
     * @param ceiling whether a ledger was full, which no repetition mends
     * @param redrivenAs the job that goes on in its place; null while there is none
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
                    fields.textIfThere("redriven_as", UUID::fromString));
        }
    }

    /**
     * Some of those that nobody has redriven, the oldest first.
     *
     * @param next the job to go on after; null on the last page
     */
    public record Page(List<DeadLetter> letters, @Nullable UUID next) {}

    /**
     * A job that goes on in place of another.
     *
     * @param continuedFrom the one that failed
     */
    public record Redriven(UUID job, UUID continuedFrom) {}

    /** A page of them; {@code after} is the {@link Page#next()} of the page before, null for the first. */
    public Page list(@Nullable UUID after, int limit) {
        return exchange.ask(
                new Query(PATH).with("after", after).with("limit", limit).read(),
                page -> new Page(page.list("letters", DeadLetter::of), page.textIfThere("next", UUID::fromString)));
    }

    /** A dead letter, also one that was redriven. */
    public DeadLetter find(UUID job) {
        return exchange.ask(Request.get(path(job)), letter -> DeadLetter.of(letter.about("job_id", job)));
    }

    /** Does the job again from where it failed. Once only: asking again gives the same job. */
    public Redriven redrive(UUID job) {
        return exchange.ask(
                Request.post(path(job) + "/redrive", null),
                redriven -> new Redriven(
                        redriven.text("job_id", UUID::fromString), redriven.text("continued_from", UUID::fromString)));
    }

    /** Leaves the job as it is. */
    public void discard(UUID job) {
        exchange.tell(Request.delete(path(job)));
    }

    private static String path(UUID job) {
        return PATH + "/" + job;
    }
}
