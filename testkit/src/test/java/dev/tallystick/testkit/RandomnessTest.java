package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventConditions;
import org.junit.platform.testkit.engine.TestExecutionResultConditions;

class RandomnessTest {

    @Test
    void the_same_seed_gives_the_same_values() {
        assertThat(everything(Randomness.ofSeed(42))).isEqualTo(everything(Randomness.ofSeed(42)));
        assertThat(everything(Randomness.ofSeed(42))).isNotEqualTo(everything(Randomness.ofSeed(43)));
    }

    @Test
    void the_seed_can_be_fixed_from_outside() {
        Properties before = (Properties) System.getProperties().clone();
        try {
            System.setProperty("tally.seed", "-7");
            assertThat(Randomness.fresh().seed()).isEqualTo(-7);
            System.setProperty("tally.seed", "seven");
            assertThatThrownBy(Randomness::fresh).isInstanceOf(NumberFormatException.class);
            System.clearProperty("tally.seed");
            assertThat(Randomness.fresh().seed())
                    .isNotEqualTo(Randomness.fresh().seed());
        } finally {
            System.setProperties(before);
        }
    }

    @Test
    void a_split_is_determined_by_its_parent_and_gives_other_values() {
        Randomness parent = Randomness.ofSeed(1);
        Randomness child = parent.split();
        assertThat(child.nextLong()).isEqualTo(Randomness.ofSeed(1).split().nextLong());
        assertThat(child.seed()).isEqualTo(1);
        assertThat(everything(child)).isNotEqualTo(everything(parent));
    }

    @Test
    void a_number_keeps_to_its_bounds_and_touches_both() {
        Randomness.repeat(20, random -> {
            List<Integer> drawn =
                    IntStream.range(0, 500).mapToObj(i -> random.between(-3, 4)).toList();
            assertThat(drawn).allMatch(n -> n >= -3 && n <= 4).contains(-3, 4);
            assertThat(random.between(Integer.MAX_VALUE, Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
        });
    }

    @Test
    void choices_follow_their_weights() {
        Randomness random = Randomness.ofSeed(5);
        LinkedHashMap<String, Integer> weights = new LinkedHashMap<>();
        weights.put("often", 9);
        weights.put("seldom", 1);
        weights.put("never", 0);
        List<String> drawn = IntStream.range(0, 1_000)
                .mapToObj(i -> random.weighted(weights))
                .toList();
        assertThat(drawn).filteredOn("often"::equals).hasSizeBetween(850, 950);
        assertThat(drawn).contains("seldom").doesNotContain("never");
        assertThat(random.oneOf(List.of("only"))).isEqualTo("only");
    }

    @Test
    void a_shuffle_keeps_every_element() {
        Randomness.repeat(50, random -> {
            List<Integer> list = random.listOf(20, Randomness::nextInt);
            assertThat(random.<Integer>shuffled(list)).containsExactlyInAnyOrderElementsOf(list);
        });
    }

    @Test
    void text_is_nasty_but_well_formed() {
        Set<Integer> seen = new HashSet<>();
        Randomness.repeat(500, random -> {
            String text = random.text(40);
            assertThat(text.codePointCount(0, text.length())).isLessThanOrEqualTo(40);
            assertThat(text).doesNotContain("\0");
            assertThat(isWellFormed(text)).isTrue();
            text.codePoints().forEach(seen::add);
        });
        assertThat(seen).contains((int) '\'', (int) '\\', 0xFEFF, 0x2028, 0x10FFFF, 0x1F, 0x0131);
    }

    @Test
    void broken_text_is_broken() {
        Randomness.repeat(200, random -> {
            String text = random.brokenText(20);
            assertThat(text.codePointCount(0, text.length())).isLessThanOrEqualTo(20);
            assertThat(text.contains("\0") || !isWellFormed(text)).isTrue();
        });
    }

    @Test
    void a_repetition_that_fails_names_the_seed_of_its_run() {
        List<Randomness> runs = new ArrayList<>();
        assertThatThrownBy(() -> Randomness.repeat(10, random -> {
                    runs.add(random);
                    assertThat(runs).hasSizeLessThan(3);
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed=" + runs.getLast().seed())
                .hasMessageContaining("to be less than 3 but was 3")
                .hasRootCauseInstanceOf(AssertionError.class);
        assertThat(runs).hasSize(3);
    }

    @Test
    void a_failing_test_names_the_seed_it_was_given() {
        EngineTestKit.engine("junit-jupiter")
                .selectors(DiscoverySelectors.selectClass(FailsWithItsSeed.class))
                .execute()
                .testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        EventConditions.finishedWithFailure(
                                TestExecutionResultConditions.instanceOf(AssertionError.class),
                                TestExecutionResultConditions.message(
                                        message -> message.contains("drawn from seed " + seedIn(message)))));
    }

    private static String seedIn(String message) {
        return message.replaceAll("(?s).*\nseed=(-?\\d+) .*", "$1");
    }

    /** Run by the test above, not by the build: its name is not that of a test class, and it fails. */
    @ExtendWith(Seeded.class)
    static class FailsWithItsSeed {
        @Test
        void draws_and_fails(Randomness random) {
            throw new AssertionError("drawn from seed " + random.seed());
        }
    }

    private static List<Object> everything(Randomness random) {
        return List.of(
                random.nextLong(),
                random.between(0, 1_000_000),
                random.oneOf(1, 2, 3, 4, 5, 6, 7, 8, 9),
                random.text(30),
                random.word(30),
                random.brokenText(30),
                random.listOf(10, Randomness::nextInt),
                random.<Integer>shuffled(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9)));
    }

    private static boolean isWellFormed(String text) {
        try {
            StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
