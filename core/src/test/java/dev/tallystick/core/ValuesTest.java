package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Small values at their bounds. */
class ValuesTest {

    @Test
    void a_name_needs_no_quotes_anywhere() {
        for (String name : List.of("a", "0", "A.b_c-9", "x".repeat(128))) {
            assertThat(Names.require("topic", name)).isEqualTo(name);
        }
        for (String none : List.of("", ".a", "-a", "a b", "a/b", "é", "a\n", "x".repeat(129))) {
            assertThat(Names.isName(none)).as(none).isFalse();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Names.require("topic", none))
                    .withMessageContaining("the name of a topic");
        }
    }

    @Test
    void priorities_keep_their_numbers_and_words() {
        assertThat(Priority.values()).extracting(Priority::turn).containsExactly(0, 1, 2);
        for (Priority priority : Priority.values()) {
            assertThat(Priority.ofTurn(priority.turn())).isEqualTo(priority);
            assertThat(Priority.parse(priority.word())).isEqualTo(priority);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Priority.ofTurn(3));
        assertThatIllegalArgumentException().isThrownBy(() -> Priority.parse("NOW"));
    }

    @Test
    void limits_of_json_have_limits() {
        assertThat(new JsonLimits(1, 0).depth()).isZero();
        assertThat(new JsonLimits(1, JsonLimits.GREATEST_DEPTH).bytes()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonLimits(0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonLimits(1, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonLimits(1, JsonLimits.GREATEST_DEPTH + 1));
    }

    @Test
    void the_largest_exact_integers_are_numbers() {
        long largest = Json.NumberValue.LARGEST_EXACT_INTEGER;
        assertThat(Json.of(largest).canonical()).isEqualTo(Long.toString(largest));
        assertThat(Json.of(-largest).canonical()).isEqualTo(Long.toString(-largest));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(largest + 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(-largest - 1));
    }
}
