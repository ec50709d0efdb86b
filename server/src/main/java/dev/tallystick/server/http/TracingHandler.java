package dev.tallystick.server.http;

import dev.tallystick.engine.model.Tracing;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A door whose requests are spans, named by their routes, in the caller's trace. It is used only with tracing. Requests outside
 * the API, such as a load balancer's probes, make no span. Thread-safe.
 */
public final class TracingHandler implements Handler {

    private static final HeaderName TRACE_PARENT = HeaderNames.create("traceparent");
    private static final String API = "/v1/";
    private static final int SERVER_ERROR = 500;

    private final RouteTable table;
    private final Tracing tracing;
    private final Handler door;

    public TracingHandler(RouteTable table, Tracing tracing, Handler door) {
        this.table = table;
        this.tracing = tracing;
        this.door = door;
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) throws Exception {
        Optional<Route> route = table.routeOf(
                request.prologue().method().text(), request.prologue().uriPath().rawPath());
        if (route.isEmpty() || !route.get().path().text().startsWith(API)) {
            door.handle(request, response);
            return;
        }
        Span span = tracing.span(route.get().toString(), SpanKind.SERVER)
                .setParent(Tracing.context(request.headers().first(TRACE_PARENT).orElse(null)))
                .setAttribute("http.request.method", route.get().method())
                .setAttribute("http.route", route.get().path().text())
                .startSpan();
        Tracing.<@Nullable Void, Exception>within(span, () -> {
            door.handle(request, response);
            answered(span, response.status().code());
            return null;
        });
    }

    /** The caller's mistakes are not errors of the server. */
    private static void answered(Span span, int status) {
        span.setAttribute("http.response.status_code", status);
        if (status >= SERVER_ERROR) {
            Tracing.failed(span, Integer.toString(status));
        }
    }
}
