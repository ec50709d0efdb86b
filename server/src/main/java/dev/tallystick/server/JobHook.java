package dev.tallystick.server;

import dev.tallystick.broker.AcceptHook;
import dev.tallystick.broker.EndWatch;
import dev.tallystick.broker.Member;
import dev.tallystick.broker.Rejection;
import dev.tallystick.broker.Submission;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.engine.Attribute;
import dev.tallystick.engine.Intake;
import dev.tallystick.engine.JobId;
import dev.tallystick.engine.UnknownWorkflowException;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Starts the jobs that the broker accepts, in the accepting transaction: key and job exist together or not at all. */
final class JobHook implements AcceptHook {

    private static final int MOST_ATTRIBUTES = 100;
    private static final Duration SOON = Duration.ofMillis(1);

    private final Workflows workflows;
    private final Intake intake;
    private final EndWatch ends = new EndsOfJobs();

    JobHook(Workflows workflows) {
        this.workflows = workflows;
        this.intake = workflows.intake();
    }

    /** What the answers to a submission and its repeats say of a job beyond its key: its version. */
    static int versionIn(StoredResponse answer) {
        String text = answer.text();
        return text.isEmpty() ? 1 : Integer.parseInt(text);
    }

    @Override
    public Plan plan(Member member, Submission submission) {
        String workflow = submission.envelope().to().reference();
        try {
            requireAttributes(submission.options().attributes().members());
            int version = workflows.version(workflow, submission.options().version());
            String lane =
                    intake.lane(workflow, version, submission.envelope().body().bytes());
            return new Plan.Ready(StoredResponse.of(Integer.toString(version)), lane);
        } catch (UnknownWorkflowException e) {
            return new Plan.Refused(new Rejection(Rejection.Code.UNKNOWN_WORKFLOW, String.valueOf(e.getMessage())));
        } catch (IllegalArgumentException e) {
            return new Plan.Refused(new Rejection(Rejection.Code.OPTIONS_REFUSED, String.valueOf(e.getMessage())));
        }
    }

    @Override
    public void start(Tx tx, List<PlannedJob> jobs) throws SQLException {
        boolean mayWait = jobs.stream().anyMatch(job -> notBefore(job) != null);
        Instant now = mayWait ? SharedClock.DATABASE.now(tx) : Instant.EPOCH;
        intake.start(tx, jobs.stream().map(job -> order(job, delay(job, now))).toList());
    }

    @Override
    public void started(PlannedJob job) {
        intake.started(order(job, notBefore(job) == null ? Duration.ZERO : SOON));
    }

    @Override
    public EndWatch ends() {
        return ends;
    }

    private static Intake.Order order(PlannedJob job, Duration delay) {
        Envelope envelope = job.submission().envelope();
        return new Intake.Order(
                new JobId(job.id()),
                job.member().mesh(),
                envelope.to().reference(),
                versionIn(job.plan().answer()),
                envelope.priority(),
                envelope.body().bytes(),
                delay,
                job.plan().memo(),
                attributes(job.submission()),
                job.submission().traceParent());
    }

    /** Refuses input that {@link #attributes} could not turn into attributes. */
    private static void requireAttributes(Map<String, Json> wanted) {
        if (wanted.size() > MOST_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "a job has at most " + MOST_ATTRIBUTES + " attributes, got " + wanted.size());
        }
        wanted.forEach(JobHook::attribute);
    }

    private static List<Attribute> attributes(Submission submission) {
        return submission.options().attributes().members().entrySet().stream()
                .map(wanted -> attribute(wanted.getKey(), wanted.getValue()))
                .toList();
    }

    private static Attribute attribute(String name, Json value) {
        if (value instanceof Json.StringValue text) {
            return new Attribute(name, text.value());
        }
        throw new IllegalArgumentException("the value of attribute '" + name + "' is a string");
    }

    /**
     * A job with a start time never begins at once, even if that time has passed: writing the job and
     * starting it must not disagree about whether it has. Rounded up to the engine's unit of time.
     */
    private static Duration delay(PlannedJob job, Instant now) {
        Instant notBefore = notBefore(job);
        if (notBefore == null) {
            return Duration.ZERO;
        }
        Duration wait = Duration.between(now, notBefore);
        return wait.isNegative() ? SOON : wait.plus(SOON);
    }

    private static @Nullable Instant notBefore(PlannedJob job) {
        return job.submission().options().notBefore();
    }
}
