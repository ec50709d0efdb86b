package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.cli.Tally;
import dev.tallystick.core.Json;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code tally submit --wait} prints if the job was accepted but its end is not learned. */
class SubmitAndWaitTest {

    private static final Pattern SUBMITTED = Pattern.compile("job (\\S+), submitted");

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @TempDir
    Path data;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private TallyServer server;

    @BeforeEach
    void start() {
        server = TallyServer.start(ServerSettings.of(data, Map.of())
                .at(ServerSettings.LOOPBACK, 0)
                .on(postgres.url())
                .withSamples(true));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void a_server_that_goes_away_leaves_a_job_that_was_submitted() throws Exception {
        FutureTask<Integer> command = submitAndWait(adminToken());
        Thread thread = Thread.ofPlatform().start(command);
        String job = submitted();

        server.close();
        // The command would wait longer than the test may.
        thread.interrupt();

        assertThat(command.get(1, TimeUnit.MINUTES)).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
        assertThat(err.toString()).contains("did not get through");
        assertIsSubmitted(job);
    }

    @Test
    void a_token_that_is_revoked_leaves_a_job_that_was_submitted() throws Exception {
        Map<String, String> admin = environment(adminToken());
        Run.tally(admin, "member", "put", "shop", "--role", "member");
        String token = Run.tally(admin, "member", "token", "shop").out().strip();
        FutureTask<Integer> command = submitAndWait(token);
        Thread.ofPlatform().start(command);
        String job = submitted();

        Run.tally(admin, "member", "revoke", token.split("_", 3)[1]);

        assertThat(command.get(1, TimeUnit.MINUTES)).isEqualTo(ExitCode.UNKNOWN_OUTCOME.code());
        assertThat(err.toString()).contains("unauthenticated");
        assertIsSubmitted(job);
    }

    private FutureTask<Integer> submitAndWait(String token) {
        String[] arguments = {
            "submit", "sample.approval", "--input", "{\"order\":\"1\"}", "--key", "order:1", "--wait", "--json"
        };
        return new FutureTask<>(
                () -> Tally.run(new PrintWriter(out, true), new PrintWriter(err, true), environment(token), arguments));
    }

    /** The job that the command is waiting for. */
    private String submitted() {
        return Eventually.value("it is submitted", () -> SUBMITTED.matcher(err.toString()), Matcher::find)
                .group(1);
    }

    private void assertIsSubmitted(String job) {
        assertThat(err.toString())
                .endsWith("The job was submitted; run 'tally job result " + job + "'.\n")
                .doesNotContain("othing was done");
        assertThat(((Json.ObjectValue) Json.parse(out.toString())).members())
                .containsEntry("job_id", Json.of(job))
                .containsEntry("duplicate", Json.of(false))
                .doesNotContainKey("status");
    }

    private Map<String, String> environment(String token) {
        return Map.of("TALLY_SERVER", server.address().toString(), "TALLY_TOKEN", token);
    }

    private String adminToken() throws IOException {
        return Files.readString(server.adminToken()).strip();
    }
}
