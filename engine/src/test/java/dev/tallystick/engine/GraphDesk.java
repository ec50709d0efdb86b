package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A graph's primitive in the hands of a test, which says itself what is leased and brought, and in which batch. */
final class GraphDesk {

    private final Database database;
    private final GraphMover mover;
    private final PostingStore postings = new PostingStore();
    private final String queue;

    GraphDesk(Database database, Graph graph) {
        this.database = database;
        this.queue = graph.queue();
        GraphRegistry registry = new GraphRegistry(new Elsewhere(database, Duration.ofSeconds(1)));
        registry.register(graph);
        CollationStore collation = new CollationStore();
        GraphStore store = new GraphStore();
        GraphWriter writer = new GraphWriter(
                collation,
                postings,
                new JobStore(),
                new SignalStore(),
                store,
                registry::type,
                order -> {
                    throw new UnsupportedOperationException("this desk has no children");
                },
                new JsonCodec(),
                Duration.ofSeconds(30),
                new SlowGraphs());
        this.mover = new GraphMover(collation, postings, store, writer, new GraphTasks(store, registry::type));
    }

    /** The postings of a job, by name. */
    Lease posting(JobId job, String name) {
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
    List<Lease> lease(String owner) {
        return database
                .transact("lease", tx -> postings.leaseBodies(tx, Set.of(queue), 100, Duration.ofSeconds(30), owner))
                .stream()
                .map(LeasedBody::lease)
                .toList();
    }

    Lease lease(String owner, String name) {
        return lease(owner).stream()
                .filter(each -> each.activity().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** As if the leases of all had run out. */
    void expire() {
        database.transact(
                "expire", tx -> tx.update("update tally.posting set visible_at = now() where owner is not null"));
    }

    GraphMoved bring(Lease posting, GraphTold told) {
        return bring(List.of(new GraphStep(posting, told, null))).getFirst();
    }

    List<GraphMoved> bring(List<GraphStep> batch) {
        List<@Nullable GraphMoved> answers = database.transact("bring", tx -> mover.apply(tx, batch));
        return new ArrayList<>(answers.stream().map(Objects::requireNonNull).toList());
    }

    /** What the job's trigger leads to. */
    void trigger(JobId job, String trigger) {
        bring(posting(job, trigger), new GraphTold.Due());
    }

    static GraphTold.Output output(Object value) {
        return new GraphTold.Output(new JsonCodec().encode(value));
    }
}
