package dev.tallystick.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource({
        "* * * * *, 2030-01-01T00:00:00Z, 2030-01-01T00:01:00Z",
        "* * * * *, 2030-01-01T00:00:59.999Z, 2030-01-01T00:01:00Z",
        "0 2 * * *, 2030-01-01T02:00:00Z, 2030-01-02T02:00:00Z",
        "0 2 * * *, 2030-01-01T01:59:59Z, 2030-01-01T02:00:00Z",
        "*/15 9-17 * * mon-fri, 2030-01-04T17:45:00Z, 2030-01-07T09:00:00Z",
        "5/20 * * * *, 2030-01-01T00:25:00Z, 2030-01-01T00:45:00Z",
        "0 0 29 2 *, 2096-03-01T00:00:00Z, 2104-02-29T00:00:00Z",
        "0 0 31 * *, 2030-01-31T00:00:00Z, 2030-03-31T00:00:00Z",
        "0 0 13 * 5, 2030-01-01T00:00:00Z, 2030-01-04T00:00:00Z",
        "0 12 * * 7, 2030-01-01T00:00:00Z, 2030-01-06T12:00:00Z",
        "0 12 * JUL sun, 2030-01-01T00:00:00Z, 2030-07-07T12:00:00Z",
        "@monthly, 2030-01-01T00:00:00Z, 2030-02-01T00:00:00Z",
        "@hourly, 2030-12-31T23:30:00Z, 2031-01-01T00:00:00Z",
    })
    void the_next_moment_is_the_first_that_matches_and_is_later(String cron, Instant after, Instant next) {
        assertThat(Cron.parse(cron).next(after, ZoneOffset.UTC)).isEqualTo(next);
    }

    @Test
    void a_list_of_values_names_each() {
        assertThat(moments("1,31 6,18 * * *", "2030-01-01T00:00:00Z", 4, ZoneOffset.UTC))
                .containsExactly(
                        "2030-01-01T06:01:00Z", "2030-01-01T06:31:00Z", "2030-01-01T18:01:00Z", "2030-01-01T18:31:00Z");
    }

    @Test
    void a_local_time_stays_what_it_is_when_the_offset_changes() {
        assertThat(moments("0 8 * * *", "2030-03-29T12:00:00Z", 3, BERLIN))
                .containsExactly("2030-03-30T07:00:00Z", "2030-03-31T06:00:00Z", "2030-04-01T06:00:00Z");
    }

    @Test
    void a_skipped_local_time_is_due_at_the_next_that_there_is() {
        // On 31 March 2030 the clocks of Berlin go from 2:00 to 3:00, which is 1:00 in UTC.
        assertThat(moments("30 2 * * *", "2030-03-30T12:00:00Z", 2, BERLIN))
                .containsExactly("2030-03-31T01:00:00Z", "2030-04-01T00:30:00Z");
    }

    @Test
    void several_skipped_local_times_are_due_once() {
        assertThat(moments("*/20 * * * *", "2030-03-31T00:30:00Z", 3, BERLIN))
                .containsExactly("2030-03-31T00:40:00Z", "2030-03-31T01:00:00Z", "2030-03-31T01:20:00Z");
    }

    @Test
    void a_doubled_local_time_is_due_once_the_first_time() {
        // On 27 October 2030 the clocks of Berlin go from 3:00 back to 2:00.
        assertThat(moments("30 2 * * *", "2030-10-26T12:00:00Z", 2, BERLIN))
                .containsExactly("2030-10-27T00:30:00Z", "2030-10-28T01:30:00Z");
    }

    @Test
    void asked_within_the_second_passage_it_goes_on_with_what_follows() {
        assertThat(Cron.parse("30 2,4 * * *").next(Instant.parse("2030-10-27T01:10:00Z"), BERLIN))
                .isEqualTo("2030-10-27T03:30:00Z");
    }

    @Test
    void a_zone_that_skips_a_whole_day_serves_what_it_skipped_the_day_after() {
        // Samoa had no 30 December 2011.
        assertThat(moments("0 12 30 12 *", "2011-12-29T00:00:00Z", 1, ZoneId.of("Pacific/Apia")))
                .containsExactly("2011-12-30T10:00:00Z");
    }

    @Test
    void moments_never_repeat_and_never_go_back_through_two_years_of_any_zone() {
        for (String zone : List.of("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca")) {
            Instant last = Instant.parse("2029-12-31T00:00:00Z");
            Instant end = last.plus(Duration.ofDays(730));
            Cron cron = Cron.parse("*/10 * * * *");
            while (last.isBefore(end)) {
                Instant next = cron.next(last, ZoneId.of(zone));
                assertThat(next).isAfter(last);
                last = next;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "* * * * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 8",
                "* * * FOO *",
                "5-1 * * * *",
                "*/0 * * * *",
                "*-5 * * * *",
                "1,,2 * * * *",
                "-1 * * * *",
                "0 0 30 2 *",
                "@reboot"
            })
    void what_cannot_be_understood_or_never_comes_is_refused(String cron) {
        assertThatThrownBy(() -> Cron.parse(cron))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cron '" + cron);
    }

    private static List<String> moments(String cron, String after, int count, ZoneId zone) {
        List<String> moments = new ArrayList<>();
        Instant last = Instant.parse(after);
        for (int i = 0; i < count; i++) {
            last = Cron.parse(cron).next(last, zone);
            moments.add(last.toString());
        }
        return moments;
    }
}
