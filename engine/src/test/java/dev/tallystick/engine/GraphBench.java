package dev.tallystick.engine;

import dev.tallystick.core.Priority;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GraphWorker;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.Submission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A workbench whose engines know graphs and workers. */
public final class GraphBench implements AutoCloseable {

    private final Workbench workbench;
    private final List<Consumer<Engine>> registrations = new ArrayList<>();
    private final JsonCodec codec = new JsonCodec();

    public GraphBench(DataSource source) {
        this(source, new JsonCodec());
    }

    /** @param codec what the engines have */
    public GraphBench(DataSource source, Codec codec) {
        this.workbench = new Workbench(source, codec);
    }

    public Workbench workbench() {
        return workbench;
    }

    public GraphBench graph(Graph graph) {
        registrations.add(engine -> engine.register(graph));
        return this;
    }

    /** Every engine started from now on has this worker. */
    public GraphBench worker(String name, GraphWorker<Object, Object> worker) {
        registrations.add(engine -> engine.worker(name, Object.class, worker));
        return this;
    }

    public Engine start() {
        return register(workbench.start());
    }

    public Engine register(Engine engine) {
        registrations.forEach(each -> each.accept(engine));
        return engine;
    }

    public JobId submit(Engine engine, String workflow, Object input) {
        Submission keyless =
                new Submission("default", workflow, codec.encode(input), null, null, Priority.DEFAULT, Duration.ZERO);
        return switch (engine.submit(keyless).join()) {
            case Accepted.Fresh fresh -> fresh.job();
            case Accepted.Duplicate duplicate -> duplicate.job();
            case Accepted.Reused reused -> throw new AssertionError(reused);
        };
    }

    /** A job that is accepted and that no engine runs. */
    public JobId accepted(Graph graph) {
        return accepted(graph, Map.of());
    }

    public JobId accepted(Graph graph, Object input) {
        try (Engine engine = workbench.idle()) {
            engine.register(graph);
            return submit(engine, graph.name(), input);
        }
    }

    public Closed run(Engine engine, String workflow, Object input) {
        return workbench.await(engine, submit(engine, workflow, input));
    }

    /** For a job of many transitions. */
    public Closed awaitLong(Engine engine, JobId job) {
        try {
            return engine.await(job, Workbench.PATIENCE.multipliedBy(10)).orElseThrow();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What a job returned that completed. */
    @Nullable
    public Object result(Closed closed) {
        if (closed.outcome() != JobOutcome.COMPLETED) {
            throw new AssertionError("the job ended " + closed.outcome() + ": " + closed.error());
        }
        byte[] output = closed.output();
        return output == null ? null : codec.<@Nullable Object>decode(output, Object.class);
    }

    public Signalled signal(Engine engine, JobId job, String name, String key, Object payload) {
        return engine.signal("default", job, name, key, codec.encode(payload)).join();
    }

    /** The ledgers of a job as people read them, by dimension and name. */
    public Map<String, String> ledgers(JobId job) {
        Map<String, String> ledgers = new LinkedHashMap<>();
        workbench
                .database()
                .transact(
                        "ledgers",
                        tx -> tx.query(
                                """
                select path || '|' || name as place, lpad(ledger::text, 15, '0') as digits
                from tally.activity
                where job_id = ?
                order by path, name
                """, row -> ledgers.put(row.getString("place"), row.getString("digits")), job.value()));
        return ledgers;
    }

    /** Everything that breaks the rules; empty when all is well, every job is closed and nothing is left over. */
    public List<String> violations() {
        List<String> found = new ArrayList<>(workbench.violations());
        found.addAll(workbench.database().transact("left over", tx -> tx.query("""
                select 'left-over posting ' || queue || ' ' || path || ' ' || name as line
                from tally.posting
                union all
                select 'entries ' || a.ledger % 100000000 || ' for ' || count(g.guid) || ' transitions of '
                    || a.path || ' ' || a.name
                from tally.activity a
                left join tally.guid g on g.job_id = a.job_id and g.path = a.path and g.name = a.name
                group by a.job_id, a.path, a.name
                having a.ledger % 100000000 <> count(g.guid)
                """, row -> row.getString("line"))));
        return found;
    }

    @Override
    public void close() {
        workbench.close();
    }
}
