package dev.tallystick.engine.record;

import dev.tallystick.core.Destination;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.record.JobAcceptor.Item;
import dev.tallystick.keys.Accept;
import dev.tallystick.keys.AcceptClaim;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Submission;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Accepts jobs. The key row and the job commit together, so one exists if and only if the other does. */
public final class JobAcceptor implements Primitive<Item, Accepted> {

    /** A job to be created, and its key, if any. */
    public record Item(NewJob job, @Nullable AcceptClaim claim) {

        public static Item of(NewJob job, Submission submission) {
            return submission.key() == null || submission.fingerprint() == null
                    ? new Item(job, null)
                    : new Item(
                            job.underKey(submission.key()),
                            new AcceptClaim(
                                    submission.key(),
                                    submission.fingerprint(),
                                    new Destination(Destination.Kind.WORKFLOW, job.workflow()),
                                    job.id().value()));
        }
    }

    private final AcceptKeys keys;
    private final JobStore jobs;
    private final AttributeStore attributes = new AttributeStore();
    private final Duration lease;

    public JobAcceptor(AcceptKeys keys, JobStore jobs, Duration lease) {
        this.keys = keys;
        this.jobs = jobs;
        this.lease = lease;
    }

    @Override
    public String name() {
        return "accept";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Object orderKey(Item item) {
        return item.claim() == null ? item.job().id() : item.claim().key();
    }

    @Override
    public long bytes(Item item) {
        return item.job().input().length;
    }

    @Override
    public List<@Nullable Accepted> apply(Tx tx, List<Item> items) throws SQLException {
        List<AcceptClaim> claims = new ArrayList<>(items.size());
        List<NewJob> keyed = new ArrayList<>(items.size());
        List<NewJob> keyless = new ArrayList<>();
        for (Item item : items) {
            if (item.claim() == null) {
                keyless.add(item.job());
            } else {
                claims.add(item.claim());
                keyed.add(item.job());
            }
        }
        Iterator<Accept> claimed = Collections.emptyIterator();
        if (!keyed.isEmpty()) {
            claimed = keys.accept(tx, claims, jobs.starting(keyed, lease)).iterator();
            jobs.insertOptions(tx, keyed);
        }
        if (!keyless.isEmpty()) {
            jobs.start(tx, keyless, lease);
        }
        List<@Nullable Accepted> answers = new ArrayList<>(items.size());
        List<NewJob> fresh = new ArrayList<>(items.size());
        for (Item item : items) {
            Accepted answer =
                    item.claim() == null ? new Accepted.Fresh(item.job().id()) : answer(claimed.next());
            if (answer instanceof Accepted.Fresh) {
                fresh.add(item.job());
            }
            answers.add(answer);
        }
        describe(tx, fresh);
        return answers;
    }

    /** Starts jobs whose keys the caller has bound in this transaction. */
    public void start(Tx tx, List<NewJob> fresh) throws SQLException {
        jobs.start(tx, fresh, lease);
        describe(tx, fresh);
    }

    private void describe(Tx tx, List<NewJob> fresh) throws SQLException {
        List<AttributeStore.Item> found = new ArrayList<>();
        for (NewJob job : fresh) {
            job.attributes().forEach(each -> found.add(new AttributeStore.Item(job.id(), job.mesh(), each)));
        }
        if (!found.isEmpty()) {
            attributes.submitted(tx, found);
        }
    }

    public static Accepted answer(Accept accept) {
        return switch (accept) {
            case Accept.Fresh fresh ->
                new Accepted.Fresh(new JobId(fresh.entry().original()));
            case Accept.Confirmed confirmed ->
                new Accepted.Fresh(new JobId(confirmed.entry().original()));
            case Accept.Replayed replayed ->
                new Accepted.Duplicate(new JobId(replayed.entry().original()));
            case Accept.Reused reused -> new Accepted.Reused(reused.reuse());
        };
    }
}
