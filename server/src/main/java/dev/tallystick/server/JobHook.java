package dev.tallystick.server;

import dev.tallystick.broker.AcceptHook;
import dev.tallystick.broker.Member;
import dev.tallystick.broker.Rejection;
import dev.tallystick.broker.Submission;
import dev.tallystick.core.Envelope;
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

/** Starts the jobs that the broker accepts, in the accepting transaction: key and job exist together or not at all. */
final class JobHook implements AcceptHook {

    private final Intake intake;
    private final InstantSource clock;

    JobHook(Intake intake, InstantSource clock) {
        this.intake = intake;
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
            int version = intake.version(workflow, submission.options().version());
            return new Plan.Ready(StoredResponse.of(Integer.toString(version)));
        } catch (UnknownWorkflowException e) {
            return new Plan.Refused(new Rejection(Rejection.Code.UNKNOWN_WORKFLOW, String.valueOf(e.getMessage())));
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

    private Intake.Order order(PlannedJob job) {
        Envelope envelope = job.submission().envelope();
        return new Intake.Order(
                new JobId(job.id()),
                job.member().mesh(),
                envelope.to().reference(),
                versionIn(job.plan().answer()),
                envelope.priority(),
                envelope.body().bytes(),
                delay(job.submission()));
    }

    private Duration delay(Submission submission) {
        Instant notBefore = submission.options().notBefore();
        if (notBefore == null) {
            return Duration.ZERO;
        }
        Duration wait = Duration.between(clock.instant(), notBefore);
        return wait.isNegative() ? Duration.ZERO : wait;
    }
}
