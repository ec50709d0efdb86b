package dev.tallystick.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.bench.Contender.Round;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {

    private static final Contender SLOW = fixed("slow", 100);
    private static final Contender FAST = fixed("fast", 200);

    @Test
    void a_contender_is_compared_with_the_fastest_of_its_references() {
        Contender ours = fixed("ours", 600).against("slow", "fast");

        JsonNode row = rows(
                        Map.of(SLOW, samples(90, 100, 110), FAST, samples(200, 200, 200), ours, samples(600, 500, 700)))
                .stream()
                .filter(each -> each.get("name").asString().equals("ours"))
                .findFirst()
                .orElseThrow();

        assertThat(row.get("per_second").asDouble()).isEqualTo(600);
        assertThat(row.get("reference_per_second").asDouble()).isEqualTo(200);
        assertThat(row.get("ratio").asDouble()).isEqualTo(3);
        assertThat(row.has("p50_ms")).isTrue();
        assertThat(row.has("p99_ms")).isTrue();
    }

    @Test
    void a_contender_without_references_has_no_ratio() {
        assertThat(rows(Map.of(SLOW, samples(90, 100, 110))).getFirst().has("ratio"))
                .isFalse();
    }

    @Test
    void every_contender_has_a_warm_up_and_three_turns_that_take_turns() throws Exception {
        List<String> said = new ArrayList<>();

        Map<Contender, List<Sample>> samples = new Rounds(Duration.ofMillis(5), said::add).run(List.of(SLOW, FAST));

        assertThat(samples.get(SLOW)).hasSize(3);
        assertThat(said)
                .extracting(line -> line.replaceAll(": [0-9,]+ a second$", ""))
                .containsExactly(
                        "warm-up  slow",
                        "warm-up  fast",
                        "round 1  slow",
                        "round 1  fast",
                        "round 2  slow",
                        "round 2  fast",
                        "round 3  slow",
                        "round 3  fast");
    }

    @Test
    void every_round_is_closed() throws Exception {
        AtomicInteger open = new AtomicInteger();
        Contender counted = new Contender("counted", 2, callers -> {
            open.incrementAndGet();
            return new Counted(open);
        });

        new Rounds(Duration.ofMillis(5), line -> {}).run(List.of(counted));

        assertThat(open).hasValue(0);
    }

    private record Counted(AtomicInteger open) implements Round {

        @Override
        public int call(int caller) {
            return 1;
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }

    private static Contender fixed(String name, int items) {
        return new Contender(name, 1, callers -> new Round() {
            @Override
            public int call(int caller) {
                return items;
            }

            @Override
            public void close() {}
        });
    }

    private static List<Sample> samples(double... rates) {
        List<Sample> samples = new ArrayList<>();
        for (double rate : rates) {
            samples.add(new Sample(rate, 1, 2, Map.of()));
        }
        return samples;
    }

    private static List<JsonNode> rows(Map<Contender, List<Sample>> samples) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Report(samples).printJson(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(JsonMapper.shared()::readTree)
                .toList();
    }
}
