package dev.tallystick.cli;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Sends spans where OpenTelemetry's environment variables say. If none of them asks for traces, none are sent, and the
 * exporter's classes are not even loaded.
 *
 * @param sending flushes and closes the exporter
 */
record Telemetry(OpenTelemetry api, Runnable sending) {

    private static final String PREFIX = "OTEL_";
    private static final String DISABLED = "OTEL_SDK_DISABLED";
    private static final String EXPORTER = "OTEL_TRACES_EXPORTER";
    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    /**
     * Configures tracing from the environment.
     *
     * @throws IllegalArgumentException if the environment names something that we do not have
     */
    static Telemetry from(Map<String, String> environment) {
        return isWanted(environment) ? Sdk.open(environment) : new Telemetry(OpenTelemetry.noop(), () -> {});
    }

    /** Setting an endpoint or an exporter turns tracing on. */
    static boolean isWanted(Map<String, String> environment) {
        String exporter = environment.getOrDefault(EXPORTER, "");
        boolean named = !exporter.isBlank() && !exporter.strip().equals("none");
        boolean addressed =
                exporter.isBlank() && (environment.containsKey(ENDPOINT) || environment.containsKey(TRACES_ENDPOINT));
        return !Boolean.parseBoolean(environment.get(DISABLED)) && (named || addressed);
    }

    /** A separate class, so that processes without tracing never load the SDK. */
    private static final class Sdk {

        /** Prometheus scrapes the metrics, and logs go to standard error. HTTP needs only the JDK. */
        private static final Map<String, String> OURS = Map.of(
                "otel.service.name", "tallystick",
                "otel.exporter.otlp.protocol", "http/protobuf",
                "otel.metrics.exporter", "none",
                "otel.logs.exporter", "none");

        static Telemetry open(Map<String, String> environment) {
            Map<String, String> properties = new HashMap<>();
            environment.forEach((name, value) -> {
                if (name.startsWith(PREFIX)) {
                    properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
                }
            });
            try {
                OpenTelemetrySdk sdk = AutoConfiguredOpenTelemetrySdk.builder()
                        .addPropertiesSupplier(() -> OURS)
                        .addPropertiesCustomizer(config -> properties)
                        .disableShutdownHook()
                        .build()
                        .getOpenTelemetrySdk();
                return new Telemetry(sdk, sdk::close);
            } catch (ConfigurationException | IllegalStateException e) {
                throw new IllegalArgumentException("cannot configure OpenTelemetry: " + e.getMessage(), e);
            }
        }

        private Sdk() {}
    }
}
