package dev.tallystick.server.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The server's metrics, in the format of Prometheus. Thread-safe. */
public final class Meters {

    private static final String UNROUTED = "none";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final IdentityHashMap<Route, Map<Integer, Timer>> timers = new IdentityHashMap<>();
    private final Map<Integer, Timer> unrouted = new ConcurrentHashMap<>();

    public Meters() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
    }

    /** Declares all routes before the first request: counting then takes no lock. */
    public void expect(List<Route> routes) {
        routes.forEach(route -> timers.put(route, new ConcurrentHashMap<>()));
    }

    /** Counts an answered request to a route, or to none. */
    void answered(@Nullable Route route, int status, long nanos) {
        Map<Integer, Timer> ofRoute = route == null ? unrouted : timers.getOrDefault(route, unrouted);
        Timer timer = ofRoute.get(status);
        if (timer == null) {
            timer = ofRoute.computeIfAbsent(status, code -> timer(route, code));
        }
        timer.record(Duration.ofNanos(nanos));
    }

    /** A counter, read when it is scraped. */
    public <T> void counter(String name, String description, T source, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, source, value).description(description).register(registry);
    }

    /** A gauge, read when it is scraped. */
    public <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
        Gauge.builder(name, source, value).description(description).register(registry);
    }

    public String scrape() {
        return registry.scrape();
    }

    private Timer timer(@Nullable Route route, int status) {
        return Timer.builder("tally_http_requests")
                .description("Requests that were answered, by route and status.")
                .tag("route", route == null ? UNROUTED : route.path().text())
                .tag("method", route == null ? UNROUTED : route.method())
                .tag("status", Integer.toString(status))
                .register(registry);
    }
}
