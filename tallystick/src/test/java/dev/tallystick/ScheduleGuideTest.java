package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.schedule.ScheduleView;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of the guide to schedules. */
class ScheduleGuideTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Region(String name) {}

    @Test
    void a_schedule_is_kept_listed_triggered_paused_and_deleted() throws Exception {
        try (Tallystick tally = tally()) {
            tally.register("report", Region.class, String.class, (ctx, region) -> "report of " + region.name());
            tally.start();

            tally.schedule("nightly", "report")
                    .cron("0 2 * * *", ZoneId.of("Europe/Berlin"))
                    .input(new Region("north"))
                    .save();

            Schedules schedules = tally.schedules();
            assertThat(schedules.list()).extracting(ScheduleView::name).containsExactly("nightly");

            JobHandle<String> now = schedules.trigger("nightly", "click-1");
            schedules.pause("nightly");
            schedules.resume("nightly");
            schedules.delete("nightly");

            assertThat(now.result(PATIENCE)).isEqualTo("report of north");
            assertThat(schedules.list()).isEmpty();
            assertThatThrownBy(() -> schedules.trigger("nightly", "click-2")).hasMessageContaining("'nightly'");
        }
    }

    @Test
    void a_running_process_fires_what_was_missed() throws Exception {
        try (Tallystick tally = tally();
                var connection = postgres.dataSource().getConnection();
                var statement = connection.createStatement()) {
            tally.register("report", Region.class, String.class, (ctx, region) -> "report of " + region.name());
            tally.schedule("yearly", "report")
                    .cron("@yearly", ZoneOffset.UTC)
                    .input(new Region("south"))
                    .save();
            statement.executeUpdate("update tally.schedule set next_at = next_at - interval '3 years'");
            tally.start();

            ScheduleView fired = Eventually.value(
                    "it has fired",
                    () -> tally.schedules().find("yearly").orElseThrow(),
                    view -> view.firedJob().isPresent());

            assertThat(tally.job(fired.firedJob().orElseThrow(), String.class).result(PATIENCE))
                    .isEqualTo("report of south");
        }
    }

    @Test
    void a_schedule_without_a_time_is_refused() {
        try (Tallystick tally = tally()) {
            assertThatThrownBy(() -> tally.schedule("nightly", "report").save()).hasMessageContaining("say when");
            assertThatThrownBy(() -> tally.schedule("nightly", "report").cron("at night", ZoneOffset.UTC))
                    .hasMessageContaining("wanted 5: minute hour");
        }
    }

    private static Tallystick tally() {
        return Tallystick.builder().dataSource(postgres.dataSource()).build();
    }
}
