package dev.tallystick.server.routes;

import dev.tallystick.broker.accept.AcceptHook;
import dev.tallystick.broker.accept.JobOptions;
import dev.tallystick.broker.accept.Rejection;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.seal.LostKeys;
import dev.tallystick.engine.seal.Promises;
import dev.tallystick.engine.submit.JobStarter;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts the jobs that the broker accepts, in the accepting transaction: key and job exist together or not at all. */
public final class JobHook implements AcceptHook {

    private static final int MOST_ATTRIBUTES = 100;
    private static final Duration SOON = Duration.ofMillis(1);

    static final String LOST =
            "a job was accepted under this key before the database was restored from a backup: whether it ran"
                    + " is not known here. Find out, and submit it under a new key if it did not";

    private final Workflows workflows;
    private final JobStarter jobStarter;
    private final InstantSource clock;
    private final @Nullable Promises promises;
    private final LostKeys lostKeys;
    private final CompletionWatch ends = new CompletionForwarder();

    /** @param promises null if this server does not seal */
    public JobHook(Workflows workflows, InstantSource clock, @Nullable Promises promises, LostKeys lostKeys) {
        this.workflows = workflows;
        this.clock = clock;
        this.promises = promises;
        this.lostKeys = lostKeys;
        this.jobStarter = workflows.intake();
    }

    /**
     * A job to start.
     *
     * @param notBefore null if it may begin at once
     */
    private record Planned(NewJob job, @Nullable Instant notBefore) implements StartableJob {}

    @Override
    public Plan plan(UUID id, Member member, Submission submission) {
        Envelope envelope = submission.envelope();
        JobOptions options = submission.options();
        String workflow = envelope.to().reference();
        ScopedKey key = new ScopedKey(member.scope(), submission.key());
        if (lostKeys.isLost(key)) {
            return new Plan.Refused(new Rejection(Rejection.Code.OUTCOME_UNKNOWN, LOST));
        }
        try {
            List<Attribute> attributes = attributes(options.attributes().members());
            int version = workflows.version(workflow, options.version());
            NewJob planned = jobStarter.plan(
                    new JobId(id),
                    new dev.tallystick.workflow.Submission(
                            member.mesh(),
                            workflow,
                            version,
                            envelope.body().bytes(),
                            null,
                            null,
                            envelope.priority(),
                            delay(options.notBefore(), clock.instant()),
                            null,
                            attributes),
                    submission.traceParent());
            StoredResponse answer = new JobAnswer(version, acceptance(key)).stored();
            return new Plan.Ready(answer, new Planned(planned.underKey(key), options.notBefore()));
        } catch (UnknownWorkflowException e) {
            return new Plan.Refused(new Rejection(Rejection.Code.UNKNOWN_WORKFLOW, String.valueOf(e.getMessage())));
        } catch (IllegalArgumentException e) {
            return new Plan.Refused(new Rejection(Rejection.Code.OPTIONS_REFUSED, String.valueOf(e.getMessage())));
        }
    }

    private @Nullable Integer acceptance(ScopedKey key) {
        OptionalInt number = promises == null ? OptionalInt.empty() : promises.nextAcceptance(key);
        return number.isPresent() ? number.getAsInt() : null;
    }

    @Override
    public void start(Tx tx, List<StartableJob> jobs) throws SQLException {
        List<Planned> planned = jobs.stream().map(Planned.class::cast).toList();
        boolean mayWait = planned.stream().anyMatch(job -> job.notBefore() != null);
        Instant now = mayWait ? SharedClock.DATABASE.now(tx) : Instant.EPOCH;
        jobStarter.start(tx, planned.stream().map(job -> delayed(job, now)).toList());
    }

    @Override
    public void started(StartableJob job) {
        jobStarter.started(((Planned) job).job());
    }

    @Override
    public CompletionWatch ends() {
        return ends;
    }

    private static List<Attribute> attributes(Map<String, Json> wanted) {
        if (wanted.size() > MOST_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "a job has at most " + MOST_ATTRIBUTES + " attributes, got " + wanted.size());
        }
        return wanted.entrySet().stream()
                .map(each -> attribute(each.getKey(), each.getValue()))
                .toList();
    }

    private static Attribute attribute(String name, Json value) {
        if (value instanceof Json.StringValue text) {
            return new Attribute(name, text.value());
        }
        throw new IllegalArgumentException("the value of attribute '" + name + "' is a string");
    }

    /** By the database's clock. The delay that was planned, by this server's, only says when to look for the job. */
    private static NewJob delayed(Planned planned, Instant now) {
        return planned.notBefore() == null ? planned.job() : planned.job().delayed(delay(planned.notBefore(), now));
    }

    /**
     * A job with a start time never begins at once, even if that time has passed: writing the job and starting it must not
     * disagree about whether it has. Rounded up to the engine's unit of time.
     */
    private static Duration delay(@Nullable Instant notBefore, Instant now) {
        if (notBefore == null) {
            return Duration.ZERO;
        }
        Duration wait = Duration.between(now, notBefore);
        return wait.isNegative() ? SOON : wait.plus(SOON);
    }
}
