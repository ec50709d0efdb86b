package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.Reconciliation;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.WorkflowType;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kills both installations at a point, and demands that their successors end each job with the partner's one outcome. */
class RemoteCrashTest {

    private static final EngineSettings SETTINGS = EngineSettings.DEFAULT
            .lease(Duration.ofMillis(600), Duration.ofMillis(200))
            .poll(Duration.ofMillis(50));

    private static final String GRAPH = """
            workflow: purchase-graph
            nodes:
              begin:
                kind: trigger
                next: order
              order:
                kind: worker
                participant: globex
                input: "input"
            output: order
            """;

    @RegisterExtension
    static final TestPostgres acmes = TestPostgres.perTest().prepared("parties", ExchangeParties::prepare);

    @RegisterExtension
    static final TestPostgres globexs = TestPostgres.perTest().prepared("parties", ExchangeParties::prepare);

    static List<CrashPoint> pointsOfCode() {
        return points(
                EngineCrashPoint.TRANSACTED,
                EngineCrashPoint.PARKED,
                EngineCrashPoint.SIGNALLED,
                EngineCrashPoint.RETURNED);
    }

    /** There is no CLOSED: the transaction of the signal that brings the answer also moves the graph and closes its job. */
    static List<CrashPoint> pointsOfGraphs() {
        return points(EngineCrashPoint.GRAPH_MOVED, EngineCrashPoint.SIGNALLED);
    }

    private static List<CrashPoint> points(EngineCrashPoint... engines) {
        List<CrashPoint> points = new ArrayList<>(List.of(engines));
        points.addAll(List.of(SqlCrashPoint.BEFORE_COMMIT, SqlCrashPoint.AFTER_COMMIT));
        points.addAll(List.of(ExchangeCrashPoint.values()));
        // The first is for postings outside of jobs, the last for handlers that fail.
        points.removeAll(List.of(ExchangeCrashPoint.POSTING_RECORDED, ExchangeCrashPoint.FAILURE_RECORDED));
        return points;
    }

    @ParameterizedTest
    @MethodSource("pointsOfCode")
    void after_a_crash_at_any_point_a_job_ends_with_the_partners_one_outcome(CrashPoint point) throws Exception {
        endsAfterCrash("purchase", point);
    }

    @ParameterizedTest
    @MethodSource("pointsOfGraphs")
    void after_a_crash_at_any_point_a_graphs_job_ends_with_the_partners_one_outcome(CrashPoint point) throws Exception {
        endsAfterCrash("purchase-graph", point);
    }

    private static void endsAfterCrash(String workflow, CrashPoint point) throws Exception {
        CrashAt acmeDies = CrashAt.nth(point, point instanceof SqlCrashPoint ? 4 : 1);
        CrashAt globexDies = CrashAt.nth(point, point instanceof SqlCrashPoint ? 4 : 1);
        List<JobId> jobs = submit(workflow);
        try (Transport transport = transport();
                Installation globex =
                        new Installation(globexs.dataSource(), ExchangeParties.globex("1"), transport, globexDies);
                Installation acme =
                        new Installation(acmes.dataSource(), ExchangeParties.acme("1"), transport, acmeDies)) {
            globex.exchange.handle(ExchangeParties::handle);
            acme.start();
            Eventually.holds("a crash", () -> acmeDies.hasCrashed() || globexDies.hasCrashed());
        }

        try (Transport transport = transport();
                Installation globex = new Installation(
                        globexs.dataSource(), ExchangeParties.globex("2"), transport, CrashPoints.NONE);
                Installation acme =
                        new Installation(acmes.dataSource(), ExchangeParties.acme("2"), transport, CrashPoints.NONE)) {
            globex.exchange.handle(ExchangeParties::handle);
            acme.start();
            Closed done = acme.engine.await(jobs.get(0), Duration.ofSeconds(30)).orElseThrow();
            Closed refused =
                    acme.engine.await(jobs.get(1), Duration.ofSeconds(30)).orElseThrow();

            assertThat(done.outcome()).as(done.error()).isEqualTo(JobOutcome.COMPLETED);
            assertThat(refused.outcome()).isEqualTo(JobOutcome.FAILED);
            assertThat(refused.error()).contains("we do not sell nothing");
            assertThat(ExchangeParties.effects(globexs.dataSource())).hasSize(1);
            assertThat(Reconciliation.between(
                                    DatabaseBooks.ofProducer(
                                            Database.on(acmes.dataSource()),
                                            ExchangeParties.ACME,
                                            ExchangeParties.GLOBEX),
                                    DatabaseBooks.ofConsumer(
                                            Database.on(globexs.dataSource()),
                                            ExchangeParties.ACME,
                                            ExchangeParties.GLOBEX))
                            .differences())
                    .isEmpty();
        }
    }

    /** Accepts a job that succeeds and one that is refused; no process runs them yet. */
    private static List<JobId> submit(String workflow) {
        try (Transport transport = transport();
                Installation idle =
                        new Installation(acmes.dataSource(), ExchangeParties.acme("0"), transport, CrashPoints.NONE)) {
            return List.of(idle.submit(workflow, "tea"), idle.submit(workflow, "nothing"));
        }
    }

    private static Transport transport() {
        return new PostgresTransport(Database.on(acmes.dataSource()), "test");
    }

    /** An engine with its exchange, which dies at a crash point. */
    private static final class Installation implements AutoCloseable {

        private final Engine engine;
        private final Exchange exchange;

        Installation(DataSource source, Identity identity, Transport transport, CrashPoints crashPoints) {
            Database database = Database.on(source, RandomGenerator.getDefault(), crashPoints);
            engine = new Engine(
                    database,
                    new AcceptKeys(KeyRetention.DEFAULT),
                    new JsonCodec(),
                    new Ids(Clock.systemUTC(), new SplittableRandom()),
                    Clock.systemUTC(),
                    RandomGenerator.getDefault(),
                    SETTINGS,
                    crashPoints);
            engine.register(WorkflowType.of(
                    "purchase", String.class, Object.class, (ctx, what) -> ctx.remote("globex", what, Object.class)));
            engine.register(GraphYaml.read("graph", GRAPH));
            exchange = new Exchange(database, engine, identity, transport, ExchangeParties.FAST, crashPoints);
        }

        void start() {
            engine.start();
            exchange.start();
        }

        JobId submit(String workflow, String what) {
            Submission submission = new Submission(
                    "default", workflow, new JsonCodec().encode(what), null, null, Priority.DEFAULT, Duration.ZERO);
            return ((Accepted.Fresh) engine.submit(submission).join()).job();
        }

        @Override
        public void close() {
            try {
                exchange.close();
                engine.close();
            } catch (SimulatedCrash dead) {
                // The dead give nothing back.
            }
        }
    }
}
