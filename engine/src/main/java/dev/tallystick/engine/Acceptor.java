package dev.tallystick.engine;

import dev.tallystick.engine.Acceptor.Item;
import dev.tallystick.keys.Accept;
import dev.tallystick.keys.AcceptClaim;
import dev.tallystick.keys.AcceptDoor;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Accepts jobs: the key row and the job commit together, so that one exists if and only if the other does. */
final class Acceptor implements Primitive<Item, Accepted> {

    /** A job about to exist, and the key that it comes under, if any. */
    record Item(NewJob job, @Nullable AcceptClaim claim) {}

    private final AcceptDoor keys;
    private final JobStore jobs;
    private final Duration lease;

    Acceptor(AcceptDoor keys, JobStore jobs, Duration lease) {
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
    public List<@Nullable Accepted> apply(Tx tx, List<Item> items) throws SQLException {
        List<AcceptClaim> claims = new ArrayList<>(items.size());
        for (Item item : items) {
            if (item.claim() != null) {
                claims.add(item.claim());
            }
        }
        Iterator<Accept> claimed = (claims.isEmpty() ? List.<Accept>of() : keys.accept(tx, claims)).iterator();
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
        if (!fresh.isEmpty()) {
            jobs.start(tx, fresh, lease);
        }
        return answers;
    }

    private static Accepted answer(Accept accept) {
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
