package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import dev.tallystick.cli.Run;
import dev.tallystick.cli.ServerProcess;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.TestPostgres;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server logs. */
class LogsTest {

    private static final String TOKEN = "tally_0123456789abcdef_" + "s".repeat(43);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @TempDir
    Path data;

    @Test
    void every_line_is_an_object_if_programs_are_to_read_them_and_none_has_a_secret() throws Exception {
        List<String> lines;
        String token;
        try (ServerProcess server =
                ServerProcess.start(data, postgres.url(), Map.of("TALLY_LOG", "json", "TALLY_LOG_LEVEL", "debug"))) {
            server.submitAndWait("42");
            token = server.token();
            lines = server.stop();
        }

        assertThat(lines).hasSizeGreaterThan(4).allSatisfy(line -> {
            Json.ObjectValue object = (Json.ObjectValue) Json.parse(line);
            assertThat(object.members()).containsKeys("time", "level", "logger", "thread", "message");
        });
        assertThat(lines)
                .anyMatch(line -> line.contains("\"logger\":\"tally\"") && line.contains("opening the database"));
        assertThat(lines).anyMatch(line -> line.contains("\"level\":\"debug\""));
        assertThat(lines).noneMatch(line -> line.contains(token));
        assertThat(lines).noneMatch(line -> line.contains(password()));
    }

    private static String password() {
        String url = postgres.url();
        String rest = url.substring(url.indexOf("password=") + "password=".length());
        return rest.contains("&") ? rest.substring(0, rest.indexOf('&')) : rest;
    }

    @Test
    void a_server_that_has_nothing_to_complain_about_logs_only_what_it_accepted() throws Exception {
        List<String> lines;
        try (ServerProcess server = ServerProcess.start(data, postgres.url(), Map.of())) {
            server.submitAndWait("42");
            lines = server.stop();
        }

        // The accepted message is announced a little later, or by the next server.
        assertThat(lines)
                .filteredOn(line -> !line.contains(" info tally.audit: "))
                .containsExactly(
                        "opening the database …",
                        "the admin's token is in " + data.resolve("admin.token")
                                + "; send it as Authorization: Bearer TOKEN",
                        "stopping …",
                        "stopped");
    }

    @Test
    void admin_actions_are_in_the_audit_log_with_actor_and_outcome() throws Exception {
        List<String> lines;
        try (ServerProcess server = ServerProcess.start(data, postgres.url(), Map.of())) {
            TallyClient admin = new TallyClient(URI.create(server.address()), server.token());
            admin.topics().create("alerts");
            admin.topics().delete("alerts");
            lines = server.stop();
        }

        assertThat(lines)
                .filteredOn(line -> line.contains("tally.audit: act="))
                .satisfiesExactly(
                        asked -> assertThat(asked)
                                .contains("act=PUT /v1/topics/{name}", "alerts", "by=default/admin", "body="),
                        done -> assertThat(done).contains("act=PUT /v1/topics/{name}", "outcome=done"),
                        asked -> assertThat(asked).contains("act=DELETE /v1/topics/{name}", "alerts"),
                        done -> assertThat(done).contains("act=DELETE /v1/topics/{name}", "outcome=done"));
    }

    @Test
    void secrets_of_tokens_and_passwords_are_left_out_wherever_they_stand() {
        assertThat(LogLine.withoutSecrets("refused " + TOKEN + ", once"))
                .isEqualTo("refused tally_0123456789abcdef_…, once");
        assertThat(LogLine.withoutSecrets("jdbc:postgresql://db/tally?user=a&password=b%20c&ssl=true"))
                .isEqualTo("jdbc:postgresql://db/tally?user=a&password=…&ssl=true");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_line_with_hidden_tokens_stays_whole_and_in_its_trace(boolean isJson) {
        String message = "cannot reach \"jdbc:postgresql://db/tally?password=secret\"";
        LoggingEvent event = new LoggingEvent(
                "", new LoggerContext().getLogger("pool"), Level.WARN, message, new IllegalStateException(TOKEN), null);
        event.setMDCPropertyMap(Map.of("tally.key", TOKEN));
        SpanContext span = SpanContext.create(
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "00f067aa0ba902b7",
                TraceFlags.getSampled(),
                TraceState.getDefault());
        String line;
        try (Scope current = Span.wrap(span).makeCurrent()) {
            assertThat(current).isNotNull();
            line = new String(new LogLine(isJson).encode(event), StandardCharsets.UTF_8);
        }

        assertThat(line).contains("cannot reach", "trace_id", span.getTraceId(), "IllegalStateException");
        assertThat(line).doesNotContain("secret").doesNotContain(TOKEN);
        if (isJson) {
            assertThat(((Json.ObjectValue) Json.parse(line.strip())).members())
                    .containsEntry("message", Json.of("cannot reach \"jdbc:postgresql://db/tally?password=…\""));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TALLY_LOG=xml", "TALLY_LOG_LEVEL=loud"})
    void the_server_refuses_to_start_with_unknown_log_settings(String wrong) {
        int equals = wrong.indexOf('=');

        Run run = Run.tally(
                Map.of(wrong.substring(0, equals), wrong.substring(equals + 1)),
                "server",
                "--port",
                "0",
                "--data",
                data.toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
        assertThat(run.err()).contains(wrong.substring(0, equals) + " must be one of ");
    }
}
