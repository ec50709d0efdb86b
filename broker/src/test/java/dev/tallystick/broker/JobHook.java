package dev.tallystick.broker;

import dev.tallystick.broker.accept.AcceptHook;
import dev.tallystick.broker.accept.Rejection;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.model.Announcement;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.Json;
import dev.tallystick.keys.StoredResponse;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Starts jobs by writing a row for each. */
public final class JobHook implements AcceptHook {

    private record TestJob(UUID id, String workflow) implements StartableJob {}

    private final Set<String> workflows = ConcurrentHashMap.newKeySet();

    /** Workflows, by watcher. */
    public final Map<String, String> watched = new ConcurrentHashMap<>();

    public final AtomicInteger started = new AtomicInteger();
    public volatile boolean failing;

    public JobHook(String... names) {
        workflows.addAll(List.of(names));
    }

    public static void createTable(Database database) {
        database.transact(
                "create table",
                tx -> tx.update(
                        "create table tally.test_job (id uuid primary key, workflow text not null, told boolean not null default false)"));
    }

    public void register(String workflow) {
        workflows.add(workflow);
    }

    @Override
    public Plan plan(UUID id, Member member, Submission submission) {
        String name = submission.envelope().to().reference();
        if (!workflows.contains(name)) {
            return new Plan.Refused(new Rejection(Rejection.Code.UNKNOWN_WORKFLOW, "no workflow " + name));
        }
        return new Plan.Ready(StoredResponse.of("{\"version\":1}"), new TestJob(id, name));
    }

    @Override
    public void start(Tx tx, List<StartableJob> jobs) throws SQLException {
        for (StartableJob each : jobs) {
            TestJob job = (TestJob) each;
            tx.update("insert into tally.test_job (id, workflow) values (?, ?)", job.id(), job.workflow());
        }
        if (failing) {
            throw new IllegalStateException("the hook fails");
        }
    }

    /** Every job ends as soon as it is started. */
    @Override
    public CompletionWatch ends() {
        return new CompletionWatch() {

            @Override
            public void watch(Tx tx, String watcher, String mesh, String workflow) {
                watched.put(watcher, workflow);
            }

            @Override
            public void unwatch(Tx tx, String watcher) {
                watched.remove(watcher);
            }

            @Override
            public List<Announcement> take(Tx tx, int limit) throws SQLException {
                return tx.query(
                        "update tally.test_job set told = true where not told returning id, workflow",
                        row -> Announcement.ofEnd(
                                row.getObject("id", UUID.class),
                                TestBroker.MESH,
                                row.getString("workflow"),
                                Json.of("done")));
            }
        };
    }

    @Override
    public void started(StartableJob job) {
        started.incrementAndGet();
    }
}
