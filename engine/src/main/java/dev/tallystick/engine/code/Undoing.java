package dev.tallystick.engine.code;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Ending;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Undo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The undos of one job, and how the job ends afterwards. Undos are code, so they are found by replaying the body along its
 * record. Then they run, last first, each as a step of its own. Used only by the body's thread.
 */
final class Undoing {

    /** A registered undo and its place. */
    record Registered(String path, String name, Retry retry, Undo work) {}

    private final JobOutcome outcome;
    private final String reason;
    private final boolean bodyEnded;
    private final List<Registered> registered = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private @Nullable Registered current;

    private Undoing(JobOutcome outcome, String reason, boolean bodyEnded) {
        this.outcome = outcome;
        this.reason = reason;
        this.bodyEnded = bodyEnded;
    }

    /** Empty unless the record says that the job is being undone. */
    static Optional<Undoing> in(JobId job, List<RecordedActivity> record) {
        if (find(record, ActivityId.undo(job)).isEmpty()) {
            return Optional.empty();
        }
        boolean ended = find(record, ActivityId.main(job))
                .filter(RecordedActivity::isDone)
                .isPresent();
        for (Ending ending : Ending.values()) {
            if (find(record, ending.of(job)).isPresent()) {
                return Optional.of(new Undoing(ending.outcome(), ending.reason(), ended));
            }
        }
        String failure =
                find(record, ActivityId.main(job)).map(RecordedActivity::error).orElse("it failed");
        return Optional.of(new Undoing(JobOutcome.FAILED, failure, ended));
    }

    private static Optional<RecordedActivity> find(List<RecordedActivity> record, ActivityId activity) {
        return record.stream()
                .filter(each ->
                        each.path().equals(activity.path()) && each.name().equals(activity.name()))
                .findFirst();
    }

    void register(Registered undo) {
        registered.add(undo);
    }

    List<Registered> inReverse() {
        return List.copyOf(registered.reversed());
    }

    void begins(Registered undo) {
        current = undo;
    }

    /** The undo that is running, or null while the body is still being replayed. */
    @Nullable
    Registered current() {
        return current;
    }

    /** One undo failed. The others still run. */
    void failed(String what) {
        failures.add(what);
    }

    boolean hasFailed() {
        return !failures.isEmpty();
    }

    /** Whether the body's Leg 2 is recorded, and only its posting is left. */
    boolean bodyEnded() {
        return bodyEnded;
    }

    /** How the job ends. If an undo failed, the job has failed, whatever ended it, so that an operator looks at it. */
    Closed ending(JobId job) {
        if (failures.isEmpty()) {
            return new Closed(job, outcome, null, reason);
        }
        String all = reason + "; not undone: " + String.join("; ", failures);
        return new Closed(job, JobOutcome.FAILED, null, Failures.shorten(all));
    }
}
