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
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** Starts the jobs that the broker accepts, in the accepting transaction: key and job exist together or not at all. */
final class JobHook implements AcceptHook {

    private static final int MOST_ATTRIBUTES = 100;
    private static final Duration SOON = Duration.ofMillis(1);

    private final Workflows workflows;
    private final Intake intake;
    private final InstantSource clock;
    private final EndWatch ends = new EndsOfJobs();

    JobHook(Workflows workflows, InstantSource clock) {
        this.workflows = workflows;
        this.intake = workflows.intake();
        this.clock = clock;
    }

    /** What the first answer and every repeat says of a job beyond its key: the version that it was given. */
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
        intake.start(tx, jobs.stream().map(this::order).toList());
    }

    @Override
    public void started(PlannedJob job) {
        intake.started(order(job));
    }

    @Override
    public EndWatch ends() {
        return ends;
    }

    private Intake.Order order(PlannedJob job) {
        Envelope envelope = job.submission().envelope();
        return new Intake.Order(
                new JobId(job.id()),
                job.member().mesh(),
                envelope.to().reference(),
                versionIn(job.plan().answer()),
                envelope.priority(),
                envelope.body().bytes(),
                delay(job.submission()),
                job.plan().memo(),
                attributes(job.submission()),
                job.submission().traceParent());
    }

    /** Refuses what {@link #attributes} could not make attributes of. */
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
     * What may not begin before a certain moment is never begun at once, also if the moment has passed: whether it has must not
     * be answered differently when the job is written and when it is begun. Rounded up to what the engine counts in.
     */
    private Duration delay(Submission submission) {
        Instant notBefore = submission.options().notBefore();
        if (notBefore == null) {
            return Duration.ZERO;
        }
        Duration wait = Duration.between(clock.instant(), notBefore);
        return wait.isNegative() ? SOON : wait.plus(SOON);
    }
}
