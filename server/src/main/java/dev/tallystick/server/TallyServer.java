package dev.tallystick.server;

import dev.tallystick.Exchange;
import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.accept.PostgresLimiter;
import dev.tallystick.broker.accept.RedisLimiter;
import dev.tallystick.broker.member.Stock;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Opened;
import dev.tallystick.engine.Deployments;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.engine.model.UserCode;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.engine.seal.LostKeys;
import dev.tallystick.engine.seal.Promises;
import dev.tallystick.engine.seal.Receipts;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.engine.upkeep.JobErasure;
import dev.tallystick.engine.view.JobEvents;
import dev.tallystick.engine.view.JobReader;
import dev.tallystick.keys.ReserveKeys;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.server.http.Connections;
import dev.tallystick.server.http.Failures;
import dev.tallystick.server.http.HttpServer;
import dev.tallystick.server.http.Limits;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Meters;
import dev.tallystick.server.http.OpenApi;
import dev.tallystick.server.http.RequestHandler;
import dev.tallystick.server.http.Route;
import dev.tallystick.server.http.RouteTable;
import dev.tallystick.server.http.TracingHandler;
import dev.tallystick.server.routes.BudgetGuard;
import dev.tallystick.server.routes.DeadCallRoutes;
import dev.tallystick.server.routes.DeliveryRoutes;
import dev.tallystick.server.routes.DeviceRoutes;
import dev.tallystick.server.routes.DirectoryRoutes;
import dev.tallystick.server.routes.ErasureRoutes;
import dev.tallystick.server.routes.ExchangeDesk;
import dev.tallystick.server.routes.ExchangeRoutes;
import dev.tallystick.server.routes.HeldKeyRoutes;
import dev.tallystick.server.routes.InstallationStore;
import dev.tallystick.server.routes.JobEventRoutes;
import dev.tallystick.server.routes.JobHook;
import dev.tallystick.server.routes.JobRoutes;
import dev.tallystick.server.routes.KeyRoutes;
import dev.tallystick.server.routes.MemberRoutes;
import dev.tallystick.server.routes.MeshJobs;
import dev.tallystick.server.routes.MessageBatchRoutes;
import dev.tallystick.server.routes.MessageRoutes;
import dev.tallystick.server.routes.PartnerRoutes;
import dev.tallystick.server.routes.Readiness;
import dev.tallystick.server.routes.ReceiptRoutes;
import dev.tallystick.server.routes.RerunRoutes;
import dev.tallystick.server.routes.ScheduleRoutes;
import dev.tallystick.server.routes.SealedActs;
import dev.tallystick.server.routes.Spenders;
import dev.tallystick.server.routes.Submissions;
import dev.tallystick.server.routes.SystemRoutes;
import dev.tallystick.server.routes.TaskRoutes;
import dev.tallystick.server.routes.TracesOfJobs;
import dev.tallystick.server.routes.WebhookRoutes;
import dev.tallystick.server.routes.WorkerRoutes;
import dev.tallystick.server.routes.WorkflowRoutes;
import dev.tallystick.server.routes.Workflows;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.LastingThreads;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.wiring.Foundation;
import dev.tallystick.workflow.JsonCodec;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server: HTTP in front, the broker that accepts, the engine that runs accepted jobs, and the Postgres beneath. Any
 * number of them share one Postgres. Closing it stops taking requests, finishes those in progress, and gives back its leases.
 */
public final class TallyServer implements AutoCloseable {

    /** How long a starting server waits for its Postgres by default. */
    public static final Duration DATABASE_WAIT = Duration.ofMinutes(1);

    private static final Duration RETRY = Duration.ofMillis(500);
    private static final Logger LOG = LoggerFactory.getLogger(TallyServer.class);

    private final Opened opened = new Opened();
    private final Path data;
    private final boolean firstStart;
    private final RouteTable table;
    private final HttpServer web;
    private final LongPolls longPolls;
    private final @Nullable ExchangePart exchange;

    private TallyServer(ServerSettings settings, Limits limits, Clock clock, CrashPoints crashPoints) {
        boolean complete = false;
        try {
            this.data = settings.data();
            this.longPolls = new LongPolls(Limits.PATIENCE);
            DataDirectory.open(data);
            EngineSettings engineSettings = named(settings, clock);
            DataSource source = DatabaseSource.open(settings, opened);
            Foundation foundation =
                    Foundation.on(source, settings.schema(), ServerSchema.ALL, clock, crashPoints, opened);
            Database database = foundation.database();
            Ids ids = foundation.ids();
            LostKeys lostKeys = LostKeys.open(
                    database, settings.seal() ? SealSettings.in(data).secrets() : null);
            // Opened first and so closed last: it seals what the others leave.
            Optional<Sealer> sealer = settings.seal()
                    ? Optional.of(open(Sealing.open(database, settings, crashPoints)))
                    : Optional.empty();
            Promises promises = sealer.map(Sealer::promises).orElse(null);
            Path ledger = settings.ledger();
            Optional<LedgerAnchor> anchor = ledger == null
                    ? Optional.empty()
                    : sealer.map(each -> open(LedgerAnchor.open(ledger, each::checkpoint, ids)));
            Engine engine = foundation.engine(settings.broker().keyRetention(), new JsonCodec(), engineSettings);
            if (settings.samples()) {
                SampleWorkflows.register(engine);
            }
            WorkflowDirectory.load(data, engine);
            Deployments deployments =
                    open(new Deployments(database, engine, settings.engine().poll()));
            deployments.start();
            Workflows workflows = new Workflows(engine.intake(), deployments);
            URI redis = settings.limiter();
            Limiter limiter = open(
                    redis == null
                            ? new PostgresLimiter(database, settings.budget())
                            : new RedisLimiter(redis, settings.budget()));
            ExchangeConfig config = settings.exchange();
            this.exchange = config == null ? null : open(new ExchangePart(database, engine, config, ids, crashPoints));
            Broker broker = open(new Broker(
                    database,
                    settings.broker(),
                    new JobHook(workflows, clock, promises, lostKeys),
                    limiter,
                    clock,
                    foundation.random(),
                    crashPoints));
            Scheduler scheduler = foundation.scheduler(
                    engine, new Spenders(broker, lostKeys), settings.engine().poll());
            JobErasure erasure = open(new JobErasure(
                    database,
                    foundation.random(),
                    List.of(new TracesOfJobs()),
                    settings.engine().sweep(),
                    crashPoints));
            this.firstStart = AdminToken.ensure(broker.members(), data);
            Meters meters = new Meters();
            Readiness readiness = new Readiness(database);
            Failures failures = new Failures(readiness::diskIsFull, ids);
            this.table = new RouteTable(routes(
                    settings,
                    database,
                    key -> sealer.flatMap(each -> each.proveKey(key)),
                    promises,
                    engine,
                    erasure,
                    scheduler,
                    workflows,
                    broker,
                    exchange == null ? null : exchange.desk(),
                    meters,
                    readiness,
                    failures,
                    ids));
            meters.expect(table.routes());
            BrokerMeters.bind(meters, broker);
            meters.counter(
                    "tally_commit_thread_restarts_total",
                    "Commit threads that died and were replaced: each one points to a bug, and was logged.",
                    this,
                    server -> LastingThreads.replaced());
            meters.gauge(
                    "tally_user_code_stuck",
                    "Threads that still run an expression or a codec that nothing waits for any more.",
                    this,
                    server -> UserCode.stuck());
            meters.gauge("tally_waiting_requests", "Requests that wait for something.", longPolls, LongPolls::number);
            sealer.ifPresent(each -> Sealing.measure(meters, each));
            sealer.ifPresent(Sealer::start);
            anchor.ifPresent(LedgerAnchor::start);
            engine.start();
            erasure.start();
            scheduler.start();
            broker.start();
            if (exchange != null) {
                exchange.bind(meters);
                exchange.start();
            }
            Connections connections = open(new Connections(limits));
            RequestHandler door =
                    new RequestHandler(table, broker.members()::authenticate, limits, connections, meters, failures);
            Tracing tracing = settings.engine().tracing();
            this.web = open(new HttpServer(
                    settings.host(),
                    settings.port(),
                    settings.tls(),
                    limits,
                    connections,
                    tracing.isOn() ? new TracingHandler(table, tracing, door) : door));
            complete = true;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }

    /** With a name that no other running server has, so that it frees the leases it held before it was killed. */
    private EngineSettings named(ServerSettings settings, Clock clock) {
        if (settings.engine().instance() != null) {
            return settings.engine();
        }
        if (settings.postgres() == null) {
            // No other server can use an embedded database.
            return settings.engine().instance("embedded");
        }
        return settings.engine()
                .instance(Instance.take(data, new Ids(clock, new SecureRandom()))
                        .map(this::open)
                        .map(Instance::name)
                        .orElse(null));
    }

    /** Returns when requests are served. */
    public static TallyServer start(ServerSettings settings) {
        return start(settings, DATABASE_WAIT);
    }

    /**
     * Returns when requests are served.
     *
     * @param databaseWait how long to wait for a Postgres that is unreachable, starting or recovering
     * @throws NoDatabaseException if it cannot be used by then, or refuses access for a permanent reason
     */
    public static TallyServer start(ServerSettings settings, Duration databaseWait) {
        long deadline = System.nanoTime() + databaseWait.toNanos();
        while (true) {
            try {
                return start(settings, settings.limits().withinOpenFiles(), CrashPoints.NONE);
            } catch (NoDatabaseException e) {
                long left = deadline - System.nanoTime();
                if (!e.mayPass() || left <= 0) {
                    throw e;
                }
                LOG.warn(
                        "{}; trying again for {} s",
                        e.getMessage(),
                        Duration.ofNanos(left).toSeconds());
                LockSupport.parkNanos(Math.min(left, RETRY.toNanos()));
            }
        }
    }

    /** One attempt. If it fails, the next one continues from whatever it has done to the database. */
    public static TallyServer start(ServerSettings settings, Limits limits, CrashPoints crashPoints) {
        return start(settings, limits, Clock.systemUTC(), crashPoints);
    }

    /** As {@link #start(ServerSettings, Limits, CrashPoints)}, on a machine with this clock. */
    static TallyServer start(ServerSettings settings, Limits limits, Clock clock, CrashPoints crashPoints) {
        try {
            return new TallyServer(settings, limits, clock, crashPoints);
        } catch (TransactionException e) {
            throw new NoDatabaseException(e);
        }
    }

    /** The address it listens on. */
    public URI address() {
        return web.address();
    }

    /**
     * Its part in the exchange, for a process that has the server inside: {@link Exchange#handle} answers what partners ask.
     *
     * @throws IllegalStateException if its settings name no exchange
     */
    public Exchange exchange() {
        ExchangePart part = exchange;
        if (part == null) {
            throw new IllegalStateException("this server takes no part in an exchange: give its settings one");
        }
        return part.exchange();
    }

    /** The file with the admin's token. */
    public Path adminToken() {
        return data.resolve(AdminToken.FILE);
    }

    /** Whether this start created the admin's token. */
    public boolean isFirstStart() {
        return firstStart;
    }

    public LongPolls waits() {
        return longPolls;
    }

    public RouteTable table() {
        return table;
    }

    @Override
    public void close() {
        longPolls.endAll();
        opened.close();
    }

    private List<Route> routes(
            ServerSettings settings,
            Database database,
            Function<ScopedKey, Optional<byte[]>> keyProver,
            @Nullable Promises promises,
            Engine engine,
            JobErasure erasure,
            Scheduler scheduler,
            Workflows workflows,
            Broker broker,
            @Nullable ExchangeDesk desk,
            Meters meters,
            Readiness readiness,
            Failures failures,
            Ids ids) {
        GroupCommitter committer = open(new GroupCommitter(database, GroupCommitter.Limits.DEFAULT));
        ReserveKeys door = new ReserveKeys(settings.broker().keyRetention());
        BudgetGuard budgetGuard = new BudgetGuard(broker);
        SealedActs acts = new SealedActs();
        Stock stock = new Stock(settings.quotas());
        List<Route> routes = new ArrayList<>();
        MeshJobs jobs = new MeshJobs(new JobReader(database, new JsonCodec()));
        Submissions submissions = new Submissions(broker, settings.engine().tracing());
        routes.addAll(
                new JobRoutes(broker, submissions, engine, jobs, longPolls, budgetGuard, promises, acts).routes());
        routes.addAll(new ReceiptRoutes(new Receipts(database), jobs, keyProver).routes());
        routes.addAll(new JobEventRoutes(jobs, new JobEvents(database), longPolls).routes());
        routes.addAll(new ErasureRoutes(erasure).routes());
        routes.addAll(new RerunRoutes(engine.reruns(), budgetGuard, acts).routes());
        routes.addAll(new ScheduleRoutes(scheduler, workflows, budgetGuard, settings.quotas()).routes());
        routes.addAll(new WorkflowRoutes(workflows).routes());
        routes.addAll(new TaskRoutes(engine.tasks(), broker.members()::find, budgetGuard).routes());
        routes.addAll(new KeyRoutes(
                        door,
                        committer,
                        ids,
                        budgetGuard,
                        longPolls,
                        settings.broker().gate())
                .routes());
        routes.addAll(new HeldKeyRoutes(database, door).routes());
        routes.addAll(new MessageRoutes(broker, submissions, longPolls).routes());
        routes.addAll(new MessageBatchRoutes(submissions, failures).routes());
        routes.addAll(new DeliveryRoutes(broker.deliveries(), broker.bells(), longPolls).routes());
        routes.addAll(new WebhookRoutes(broker.webhooks(), budgetGuard, ids).routes());
        routes.addAll(new DeadCallRoutes(broker.deadCalls(), broker.webhooks()).routes());
        routes.addAll(new DirectoryRoutes(broker.directory(), stock).routes());
        routes.addAll(new DeviceRoutes(broker.devices(), budgetGuard).routes());
        routes.addAll(new MemberRoutes(broker.members(), stock, acts).routes());
        routes.addAll(new ExchangeRoutes(desk).routes());
        routes.addAll(new PartnerRoutes(desk).routes());
        routes.addAll(new WorkerRoutes(engine.remoteWork(), longPolls).routes());
        routes.addAll(new SystemRoutes(
                        readiness,
                        longPolls::areOver,
                        meters::scrape,
                        broker.orphans()::run,
                        () -> OpenApi.of(table()).canonical(),
                        SystemRoutes.features(
                                database.transact("read installation", new InstallationStore()::id), settings.broker()))
                .routes());
        return routes;
    }

    private <T extends AutoCloseable> T open(T part) {
        return opened.add(part);
    }
}
