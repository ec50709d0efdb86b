package dev.tallystick.cli;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Where spans go, as the variables say that OpenTelemetry has for this. If none of them says so, they go nowhere, and nothing of what
 * would send them is even loaded.
 *
 * @param sending sends what is left, and ends
 */
record Telemetry(OpenTelemetry api, Runnable sending) {

    private static final String PREFIX = "OTEL_";
    private static final String DISABLED = "OTEL_SDK_DISABLED";
    private static final String EXPORTER = "OTEL_TRACES_EXPORTER";
    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    /**
     * Opens what the environment asks for.
     *
     * @throws IllegalArgumentException if that is nothing we have
     */
    static Telemetry from(Map<String, String> environment) {
        return isWanted(environment) ? Sdk.open(environment) : new Telemetry(OpenTelemetry.noop(), () -> {});
    }

    /** An endpoint, or the name of an exporter, is what says that somebody wants to see traces. */
    static boolean isWanted(Map<String, String> environment) {
        String exporter = environment.getOrDefault(EXPORTER, "");
        boolean named = !exporter.isBlank() && !exporter.strip().equals("none");
        boolean addressed =
                exporter.isBlank() && (environment.containsKey(ENDPOINT) || environment.containsKey(TRACES_ENDPOINT));
        return !Boolean.parseBoolean(environment.get(DISABLED)) && (named || addressed);
    }

    /** Apart, so that whoever does not trace loads none of it. */
    private static final class Sdk {

        /** Metrics are for Prometheus, and logs go where they go. HTTP is what the JDK speaks by itself. */
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
                throw new IllegalArgumentException("OpenTelemetry cannot be set up: " + e.getMessage(), e);
            }
        }

        private Sdk() {}
    }
}
