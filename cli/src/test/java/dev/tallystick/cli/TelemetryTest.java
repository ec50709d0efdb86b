package dev.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.testkit.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a server sends its spans, with the test as the receiver. */
class TelemetryTest {

    private static final String SECRET = "an-order-that-no-one-else-may-see";

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @TempDir
    Path data;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private HttpServer receiver;

    @BeforeEach
    void listen() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/v1/traces", exchange -> {
            synchronized (received) {
                received.writeBytes(exchange.getRequestBody().readAllBytes());
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
    }

    private String receivedText() {
        synchronized (received) {
            return received.toString(StandardCharsets.ISO_8859_1);
        }
    }

    private String endpoint() {
        return "http://127.0.0.1:" + receiver.getAddress().getPort();
    }

    /** Starts a server, runs a job, stops the server, and returns the classes it loaded. */
    private List<String> serve(Map<String, String> environment) throws Exception {
        Path loaded = data.resolve("loaded.log");
        try (ServerProcess server = ServerProcess.start(
                data.resolve("server"), postgres.url(), environment, "-Xlog:class+load:file=" + loaded)) {
            server.submitAndWait(SECRET);
            server.stop();
            assertThat(receivedText()).doesNotContain(server.token()).doesNotContain(SECRET);
            return Files.readAllLines(loaded);
        }
    }

    @Test
    void spans_go_to_the_endpoint_that_the_environment_names() throws Exception {
        serve(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint()));

        assertThat(receivedText())
                .contains("service.name", "tallystick")
                .contains("POST /v1/jobs", "accept workflow", "run sample.order")
                .contains("step reserve", "step charge", "step confirm");
    }

    @Test
    void without_a_word_from_the_environment_nothing_is_sent_and_nothing_of_it_is_loaded() throws Exception {
        List<String> loaded = serve(Map.of());

        assertThat(receivedText()).isEmpty();
        assertThat(loaded).anyMatch(line -> line.contains("dev.tallystick.server.http.RequestHandler"));
        assertThat(loaded)
                .noneMatch(line -> line.contains("io.opentelemetry.sdk") || line.contains("io.opentelemetry.exporter"))
                .noneMatch(line -> line.contains("dev.tallystick.server.http.TracingHandler"));
    }

    @Test
    void an_endpoint_or_an_exporter_switches_traces_on() {
        assertThat(Telemetry.isWanted(Map.of())).isFalse();
        assertThat(Telemetry.isWanted(Map.of("OTEL_SERVICE_NAME", "orders"))).isFalse();
        assertThat(Telemetry.isWanted(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint())))
                .isTrue();
        assertThat(Telemetry.isWanted(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint())))
                .isTrue();
        assertThat(Telemetry.isWanted(Map.of("OTEL_TRACES_EXPORTER", "otlp"))).isTrue();
        assertThat(Telemetry.isWanted(
                        Map.of("OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", endpoint())))
                .isFalse();
        assertThat(Telemetry.isWanted(Map.of("OTEL_TRACES_EXPORTER", "otlp", "OTEL_SDK_DISABLED", "true")))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"OTEL_TRACES_EXPORTER=pigeon", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_TRACES_SAMPLER=dice"})
    void the_server_refuses_to_start_with_invalid_telemetry_settings(String wrong) {
        int equals = wrong.indexOf('=');
        Map<String, String> environment = new HashMap<>(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint()));
        environment.put(wrong.substring(0, equals), wrong.substring(equals + 1));

        Run run = Run.tally(environment, "server", "--port", "0", "--data", data.toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains("cannot configure OpenTelemetry", "OTEL_");
    }
}
