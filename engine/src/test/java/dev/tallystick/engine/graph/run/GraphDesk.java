package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.sql.Database;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A graph's primitive in the hands of a test, which says itself what is leased and brought, and in which batch. */
public final class GraphDesk {

    private final Database database;
    private final NodeReportWriter mover;
    private final PostingStore postings = new PostingStore();
    private final String queue;

    public GraphDesk(Database database, Graph graph) {
        this.database = database;
        this.queue = graph.queue();
        GraphRegistry registry = new GraphRegistry(new RemoteWorkflows(database, Duration.ofSeconds(1)));
        registry.register(graph);
        CollationStore collation = new CollationStore();
        NodeStore store = new NodeStore();
        TransitionWriter writer = new TransitionWriter(
                collation,
                postings,
                new JobStore(),
                new SignalStore(),
                store,
                registry::type,
                order -> {
                    throw new UnsupportedOperationException("this desk has no children");
                },
                PartnerGateway.NONE,
                new JsonCodec(),
                Duration.ofSeconds(30),
                new SlowGraphs());
        this.mover = new NodeReportWriter(collation, postings, store, writer, new HookTasks(store, registry::type));
    }

    /** The postings of a job, by name. */
    public Lease posting(JobId job, String name) {
        return database.transact(
                        "posting",
                        tx -> tx.first(
                                "select path, guid, fence from tally.posting where job_id = ? and name = ?",
                                row -> new Lease(
                                        new ActivityId(job, row.getString("path"), name),
                                        new Guid(row.getObject("guid", UUID.class)),
                                        row.getLong("fence")),
                                job.value(),
                                name))
                .orElseThrow();
    }

    /** Leases all work of the graph that is due. */
    public List<Lease> lease(String owner) {
        return database
                .transact(
                        "lease",
                        tx -> new DuePostingStore().leaseBodies(tx, Set.of(queue), 100, Duration.ofSeconds(30), owner))
                .stream()
                .map(LeasedJob::lease)
                .toList();
    }

    public Lease lease(String owner, String name) {
        return lease(owner).stream()
                .filter(each -> each.activity().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** As if the leases of all had run out. */
    public void expire() {
        database.transact(
                "expire", tx -> tx.update("update tally.posting set visible_at = now() where owner is not null"));
    }

    public NodeReportResult bring(Lease posting, NodeEvent told) {
        return bring(List.of(new NodeReport(posting, told, null))).getFirst();
    }

    public List<NodeReportResult> bring(List<NodeReport> batch) {
        List<@Nullable NodeReportResult> answers = database.transact("bring", tx -> mover.apply(tx, batch));
        return new ArrayList<>(answers.stream().map(Objects::requireNonNull).toList());
    }

    /** What the job's trigger leads to. */
    public void trigger(JobId job, String trigger) {
        bring(posting(job, trigger), new NodeEvent.Due());
    }

    public static NodeEvent.Output output(Object value) {
        return new NodeEvent.Output(new JsonCodec().encode(value));
    }
}
