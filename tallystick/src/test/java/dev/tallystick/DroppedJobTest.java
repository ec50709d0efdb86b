package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Ids;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.UnknownJobException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A key outlives the job that it stands for. */
class DroppedJobTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @Test
    @Timeout(120)
    void whoever_repeats_a_key_whose_job_is_no_longer_kept_is_told_so_at_once() throws Exception {
        EngineSettings forgetful =
                EngineSettings.DEFAULT.retention(Duration.ofMillis(1)).sweep(Duration.ofMillis(100));
        try (Tallystick tally = Tallystick.builder()
                .dataSource(postgres.dataSource())
                .settings(forgetful)
                .build()) {
            tally.register("greet", String.class, String.class, (ctx, name) -> "hello " + name);
            tally.start();
            JobHandle<String> job = tally.submit("greet", "Ada", Submit.key("k"));
            assertThat(job.result(PATIENCE)).isEqualTo("hello Ada");
            Eventually.holds("it is dropped", () -> tally.jobs().list().isEmpty());

            JobHandle<String> again = tally.submit("greet", "Ada", Submit.key("k"));

            assertThat(again.isDuplicate()).isTrue();
            assertThatThrownBy(() -> again.result(Duration.ofHours(1)))
                    .isInstanceOf(UnknownJobException.class)
                    .hasMessageContaining("no longer kept");
            assertThatThrownBy(() -> again.outcome(Duration.ofHours(1))).isInstanceOf(UnknownJobException.class);
        }
    }

    @Test
    void a_job_that_was_never_there_is_not_called_open() {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            JobId nobodys = new JobId(new Ids(Clock.systemUTC(), new SecureRandom()).next());

            assertThatThrownBy(() -> tally.job(nobodys, String.class).result(Duration.ofMillis(1)))
                    .isInstanceOf(UnknownJobException.class);
        }
    }
}
