package dev.tallystick.engine.model;

import dev.tallystick.core.Unwinding;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.NotRecordedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Logs failures: each attempt as a warning, each job as an error, with identifying fields in the MDC. */
public final class FailureLog {

    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    /**
     * The job or step that failed.
     *
     * @param workflow with its version, as in {@code order@2}
     * @param key the idempotency key for foreign systems
     * @param step null for the job itself
     */
    public record Subject(
            JobId job,
            String workflow,
            String key,
            @Nullable String step) {}

    /**
     * Logs a failed attempt as a warning.
     *
     * @param retry the delay before the next attempt; null for none
     */
    public static void attempt(Subject about, int attempt, int most, Fault fault, @Nullable Duration retry) {
        within(
                about,
                () -> LOG.warn(
                        "attempt {} of {} at step '{}' of job {} ({}) failed, {}: {}",
                        attempt,
                        most,
                        about.step(),
                        about.job(),
                        about.workflow(),
                        retry == null ? "giving up" : "retrying in " + retry.toMillis() + " ms",
                        fault.error(),
                        fault.thrown()));
    }

    public static void job(Subject about, Fault fault) {
        within(
                about,
                () -> LOG.error(
                        "job {} ({}) failed: {}", about.job(), about.workflow(), fault.error(), fault.thrown()));
    }

    /** Logs a job that was ended from outside, with the step it had reached, if any. */
    public static void ended(Subject about, String reason) {
        String at = about.step() == null ? "" : " at step '" + about.step() + "'";
        within(about, () -> LOG.error("job {} ({}) failed{}: {}", about.job(), about.workflow(), at, reason));
    }

    /** Logs leased work that is abandoned: it is taken up again when its lease runs out. */
    public static void left(String what, Throwable why) {
        switch (why) {
            case ExecutionStopped stopped -> {}
            case Unwinding died -> throw died;
            case TransactionException away ->
                LOG.warn("giving up {}, which another process resumes after the lease expires", what, away);
            case NotRecordedException refused ->
                LOG.warn("giving up {}, which another process resumes after the lease expires", what, refused);
            default ->
                LOG.error(
                        "giving up {}, which another process resumes after the lease expires; please report this",
                        what,
                        why);
        }
    }

    private static void within(Subject about, Runnable logging) {
        List<MDC.MDCCloseable> entries = new ArrayList<>();
        entries.add(MDC.putCloseable("tally.job", about.job().toString()));
        entries.add(MDC.putCloseable("tally.workflow", about.workflow()));
        entries.add(MDC.putCloseable("tally.key", about.key()));
        if (about.step() != null) {
            entries.add(MDC.putCloseable("tally.step", about.step()));
        }
        try {
            logging.run();
        } finally {
            entries.forEach(MDC.MDCCloseable::close);
        }
    }

    private FailureLog() {}
}
