package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
                "$contains(input, /(x+x+)+y|(.*a){12}b/)",
                "$split(input, /(.*a){12}b/)",
                "$replace(input, /(.*a){12}b/, 'x')",
                "$replace(input, '(.*a){12}b', 'x', 1)",
                "input ~> $match(/(.*a){12}b/)",
                "/(.*a){12}b/(input)",
                "input ~> /(a*)*b/",
                "($find := /(.*a){12}b/; $find(input))"
            })
    void a_pattern_that_goes_back_and_forth_takes_no_longer_than_another(String source) {
        assertThat(Expression.of(source).evaluate(CONTEXT))
                .isIn(null, false, List.of(), CONTEXT.get("input"), List.of(CONTEXT.get("input")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "($f := function($n) { $f($n + 1) }; $f(0))",
                "$contains($pad('', 4000000, 'ab'), /((a|b|c){20}){20}c/)"
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
                "$contains(input, /(a*)*b\\1/) => without back-references",
                "/(a*)*b\\1/(input) => without back-references",
                "$map([1], function($n) { $contains(input, /(?=a)b/) }) => without back-references",
                "$contains(input, /((a{1000}){1000}){1000}/) => is larger than 5000",
                "($__evaluate_entry := 1; input) => reserved"
            })
    void what_cannot_be_bounded_is_refused_when_the_expression_is_read(String source, String reason) {
        assertThatThrownBy(() -> Expression.of(source))
                .isInstanceOf(ExpressionException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '`',
            value = {
                "$eval('/a/(input)') => $eval is not available",
                "$sum([1..9999999]) => a list of it is longer than 524,288 elements",
                "$replace($pad('', 100000, 'a'), 'a', $pad('', 20000, 'b')) => a text of it is longer than",
                "$join([1..300000].('x'), $pad('', 1000, 'y')) => a text of it is longer than",
                "$number($pad('', 1000000, '9')) => longer than 256",
                "$fromMillis(1, $pad('', 300000, '[Y]')) => longer than 256",
                "$formatNumber(1.5, $pad('', 2000000, '#')) => longer than 256",
                "$toMillis('11111111111111111111111111111111111111111', '[Y][M][D][H][m][s][f][Y][M][D][H][m]x') => too many ways"
            })
    void a_function_that_would_take_for_ever_is_refused(String source, String reason) {
        assertThatThrownBy(() -> Expression.of(source).evaluate(CONTEXT))
                .isInstanceOf(ExpressionException.class)
                .hasMessageContaining(reason);
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
                "$replace('a.c.', '.', '$1', 1) => a$1c.",
                "$replace('john smith', /(\\w+) (\\w+)/, '$2, $1 $$ $0$9!') => smith, john $ john smith!",
                "/b(.)/('abcbd').next().match => bd",
                "'abc' ~> /b/ ~> $lookup('start') => 1",
                "$match('abcab', /b/, 1).match => b",
                "$join(['a', 'b'], '-') => a-b",
                "$number('12.5') => 12.5",
                "$toMillis('20260102T030405', '[Y0001][M01][D01]T[H01][m01][s01]') => 1767323045000",
                "$fromMillis(0, '[Y0001]-[M01]') => 1970-01",
                "$formatNumber(1234.5, '#,##0.00') => 1,234.50",
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
