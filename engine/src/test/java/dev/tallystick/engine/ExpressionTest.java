package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What expressions come to, and that none of them goes on for ever. */
class ExpressionTest {

    private static final Map<String, String> CONTEXT = Map.of("input", "a".repeat(200));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$match(input, /(.*a){12}b/)",
                "$contains(input, /(.*a){12}b/)",
                "$split(input, /(.*a){12}b/)",
                "$replace(input, /(.*a){12}b/, 'x')",
                "$replace(input, '(.*a){12}b', 'x', 1)",
                "input ~> $match(/(.*a){12}b/)",
                "($f := function($n) { $f($n + 1) }; $f(0))"
            })
    void an_expression_that_would_take_for_ever_is_stopped(String source) {
        assertThatThrownBy(() -> Expression.of(source).evaluate(CONTEXT))
                .isInstanceOf(ExpressionException.class)
                .hasMessageContaining("it takes longer than 500 ms");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '`',
            value = {
                "$pad('x', 2000000000) => a text of it is longer than 4,194,304 characters",
                "$pad('x', -2000000000, 'yz') => a text of it is longer than 4,194,304 characters",
                "$reduce([1..60], function($a, $b) { $a & $a }, 'much') => a text of it is longer than",
                "($f := function($n) { 1 + $f($n + 1) }; $f(0)) => it goes deeper than 200"
            })
    void an_expression_that_would_take_all_memory_is_stopped(String source, String reason) {
        assertThatThrownBy(() -> Expression.of(source).evaluate(CONTEXT))
                .isInstanceOf(ExpressionException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '`',
            value = {
                "$match('abcab', /a(b)/)[1].index => 3",
                "$contains('abc', /B/i) => true",
                "$contains('abc', 'd') => false",
                "$split('a1b2c', /[0-9]/) => [a, b, c]",
                "$split('a (b (c', ' (') => [a, b, c]",
                "$replace('abcb', /b/, 'x', 1) => axcb",
                "$replace('a(c', '(', 'x') => axc",
                "$replace('abc', /b/, function($m) { $m.match & '!' }) => ab!c",
                "$map(['ab', 'ac'], $contains(?, /b/)) => [true, false]",
                "$pad('abc', 8, '12') => abc12121",
                "$pad('abc', -8, '12') => 12121abc",
                "$pad('abc', 5) & '.' => abc  .",
                "$pad('abc', 2) => abc",
                "'a' ~> $pad(3, '#') => a##"
            })
    void what_is_bounded_does_what_it_always_did(String source, String result) {
        assertThat(Expression.of(source).evaluate(CONTEXT)).hasToString(result);
    }

    @Test
    void a_long_text_is_padded_in_no_time() {
        assertThat(Expression.of("$length($pad('x', 1000000))").evaluate(CONTEXT))
                .hasToString("1000000");
    }
}
