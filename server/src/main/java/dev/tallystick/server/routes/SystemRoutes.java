package dev.tallystick.server.routes;

import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.OrphanReport;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.SystemApi.Features;
import dev.tallystick.core.api.SystemApi.Health;
import dev.tallystick.core.api.SystemApi.Orphans;
import dev.tallystick.server.http.Access;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Limits;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.sql.LastingThreads;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Information about the server itself. */
public final class SystemRoutes {

    private static final List<String> FEATURES = List.of(
            "jobs",
            "job-events",
            "keys",
            "messages",
            "message-batches",
            "deliveries",
            "topics",
            "queues",
            "members",
            "meshes",
            "devices",
            "workers",
            "deadletters",
            "schedules",
            "tasks",
            "workflows",
            "history-stream");

    private final Readiness readiness;
    private final BooleanSupplier stopping;
    private final Supplier<String> metrics;
    private final Supplier<OrphanReport> orphans;
    private final Supplier<String> openApi;
    private final Features features;

    public SystemRoutes(
            Readiness readiness,
            BooleanSupplier stopping,
            Supplier<String> metrics,
            Supplier<OrphanReport> orphans,
            Supplier<String> openApi,
            Features features) {
        this.readiness = readiness;
        this.stopping = stopping;
        this.metrics = metrics;
        this.orphans = orphans;
        this.openApi = openApi;
        this.features = features;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/health/live", call -> Answer.ok(new Health("live")))
                        .summary("Whether the process runs.")
                        .open()
                        .answers(Health.class),
                Route.get("/health/ready", call -> ready())
                        .summary(
                                "Whether requests can be served: the database answers and has space, no thread of the server"
                                        + " has died, and it is not stopping. Answered within a second.")
                        .open()
                        .answers(Health.class)
                        .refuses(ProblemCode.DATABASE_UNAVAILABLE, ProblemCode.DATABASE_FULL, ProblemCode.STOPPING),
                Route.get("/metrics", call -> new Answer.Text("text/plain; version=0.0.4", metrics.get()))
                        .summary("Counters and gauges of the whole installation, for Prometheus.")
                        .access(Access.operators(Role.OBSERVER)),
                Route.get("/v1/orphans", call -> Answer.ok(found(orphans.get())))
                        .summary("Look whether all that was accepted together is still together, in all meshes.")
                        .answers(Orphans.class),
                Route.get("/openapi.json", call -> new Answer.Text(Answer.JSON, openApi.get()))
                        .summary("This document.")
                        .open(),
                Route.get("/v1/features", call -> Answer.ok(features))
                        .summary("What this server can do, and its limits.")
                        .open()
                        .answers(Features.class));
    }

    private Answer ready() throws InterruptedException {
        if (stopping.getAsBoolean()) {
            throw new Problem(ProblemCode.STOPPING, "ask another server");
        }
        List<String> dead = LastingThreads.dead();
        if (!dead.isEmpty()) {
            throw new Problem(
                    ProblemCode.INTERNAL_ERROR,
                    "the thread " + dead.getFirst() + " has died: ask another server, and start this process again");
        }
        Optional<ProblemCode> trouble = readiness.trouble();
        if (trouble.isPresent()) {
            throw new Problem(trouble.get(), "ask another server, or again in a second")
                    .retryAfter(Duration.ofSeconds(1));
        }
        return Answer.ok(new Health("ready"));
    }

    public static Features features(UUID installation, BrokerSettings settings) {
        return new Features(
                Answer.API,
                FEATURES,
                installation,
                new Features.Dedupe("retention_scoped", settings.keyRetention().days()),
                new Features.MaxPayload(settings.maxPayload()),
                Limits.BODY,
                List.of(Answer.API));
    }

    private static Orphans found(OrphanReport report) {
        return new Orphans(
                report.total(),
                report.findings().stream()
                        .map(found -> new Orphans.Kind(
                                found.kind().name().toLowerCase(Locale.ROOT), found.count(), found.examples()))
                        .toList());
    }
}
