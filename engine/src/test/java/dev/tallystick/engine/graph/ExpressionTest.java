package dev.tallystick.engine.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dashjoin.jsonata.Jsonata;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of expressions, and that each ends. */
class ExpressionTest {

    private static final Map<String, String> CONTEXT = Map.of("input", "a".repeat(200));

    /** So that a slow machine meets the limit under test first. */
    private static final Duration AGES = Duration.ofMinutes(1);

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
        assertThat(Expression.of(source, AGES).evaluate(CONTEXT))
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
        assertThatThrownBy(() -> Expression.of(source, AGES).evaluate(CONTEXT))
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
        assertThatThrownBy(() -> Expression.of(source, AGES).evaluate(CONTEXT))
                .isInstanceOf(ExpressionException.class)
                .hasMessageContaining(reason);
    }

    /** What the library makes, copies or runs through within one part of an expression, where nothing can stop it. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '`',
            value = {
                "$count(list.($$.list)) => the parts of it return more than 2,097,152 elements",
                "$count(list.($$.list.($$.list))) => the parts of it return more than 2,097,152 elements",
                "$count([1..20000].([1..20000])) => the parts of it return more than 2,097,152 elements",
                "$count(list@$a.$$.list@$b.[$a, $b]) => the parts of it return more than 65,536 elements",
                "$map([1..20000], function($n) { [$$.list, $n] }) => 2,097,152 elements",
                "[1..500000].$pad('', 10000) => it makes more than 2,097,152 elements",
                "[1..500000].{'a': [1], 'b': [2]} => it makes more than 2,097,152 elements",
                "$map([1..500000], $spread) ~> $map($append(?, list)) => 2,097,152 elements",
                "$string($reduce([1..40], function($a, $n) { [[$a], [$a]] }, 1)) => a value of it holds more than",
                "$reduce([1..40], function($a, $n) { [[$a], [$a]] }, 1) = 1 => a value of it holds more than",
                "$reduce([1..40], function($a, $n) { {'a': $a, 'b': $a} }, 1).** => a value of it holds more than",
                "$string($reduce([1..19], function($a, $n) { $a ~> |$|{'a': $, 'b': $a}| }, {})) => cannot be evaluated",
                "$string([1..3000].[$$.text]) => a value of it holds more than",
                "$string($reduce([1..4000], function($a, $n) { [[$a], $n] }, 1), true) => a text of it is longer than",
                "$merge([1..30000].{$string($): [1]}).* => there are too many lists for *",
                "$split($pad('', 4000000), '') => a list of it is longer than 524,288 elements",
                "$match($pad('', 4000000), / /) => cannot be evaluated: it",
                "$replace($pad('', 4000000), ' ', '.') => it makes more than 2,097,152 elements"
            })
    void a_value_that_would_not_fit_in_memory_is_refused_before_it_is_made(String source, String reason) {
        List<Integer> list = new ArrayList<>(Collections.nCopies(30_000, 1));
        Map<String, Object> context = Map.of("list", list, "text", "a".repeat(100_000));

        assertThatThrownBy(() -> Expression.of(source, AGES).evaluate(context))
                .isInstanceOf(ExpressionException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '`',
            value = {
                "$fromMillis(1, '[Y,1000000000-1000000000]') => three digits at most",
                "$fromMillis(1, '[Y,1 0 0 0 0 0]') => three digits at most",
                "$fromMillis(1, '[M,+100000]') => three digits at most",
                "$fromMillis(1, '[Y,\u0661\u0660\u0660\u0660\u0660\u0660]') => three digits at most",
                "$now('[Y,*-100000]') => three digits at most",
                "$toMillis('1', '[Y,100000]') => three digits at most",
                "$toMillis($pad('', 250, '-') & 'x', '[Yw]-[Mw]-[Dw]-[Hw]-[mw]-[sw]') => too many ways",
                "$round(1, 2000000000) => rounded to 400 places at most",
                "$round(1, -2000000000) => rounded to 400 places at most",
                "$contains($pad('', 4000000, 'a'), $pad('', 2000000, 'a') & 'b') => too long to search for",
                "$split($pad('', 4000000, 'a'), $pad('', 2000000, 'a') & 'b') => too long to search for",
                "$substringBefore($pad('', 4000000, 'a'), $pad('', 2000000, 'a') & 'b') => too long to search for",
                "$substringAfter($pad('', 4000000, 'a'), $pad('', 2000000, 'a') & 'b') => too long to search for",
                "$encodeUrl($pad('', 4000000)) => a text of it is longer than"
            })
    void an_argument_with_which_a_function_would_take_for_ever_is_refused(String source, String reason) {
        assertThatThrownBy(() -> Expression.of(source, AGES).evaluate(CONTEXT))
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
                "'a' ~> $pad(3, '#') => a##",
                "$spread([{'a': 1, 'b': 2}, {'c': 3}]) => [{a=1}, {b=2}, {c=3}]",
                "$distinct([1, 2, 1, [3], [3]]) => [1, 2, [3]]",
                "$fromMillis(0, '[Y,4-4]') => 1970",
                "$fromMillis(0, '[Y9,999,*]') => 1,970",
                "$round(12.345, 2) => 12.34",
                "$toMillis('2026-01-02', '[Y0001]-[M01]-[D01]') => 1767312000000",
                "$string({'a': [1]}, true) => `{\n  \"a\": [\n    1\n  ]\n}`",
                "$count($reduce([1..1500], $append)) => 1500",
                "$sum($map([1..300000], function($n) { $n % 2 })) => 150000",
                "{'a': 1} ~> |$|{'b': 2}| => {a=1, b=2}"
            })
    void what_is_bounded_does_what_it_always_did(String source, String result) {
        assertThat(Expression.of(source, AGES).evaluate(CONTEXT)).hasToString(result);
    }

    @Test
    void a_long_text_is_padded_in_no_time() {
        assertThat(Expression.of("$length($pad('x', 1000000))", AGES).evaluate(CONTEXT))
                .hasToString("1000000");
    }

    /** So that a function that comes with another version of the library is looked at. */
    @Test
    void each_function_of_the_library_is_bounded_or_known_to_take_no_longer_than_its_arguments() throws Exception {
        Set<String> plain = Set.of(
                "sum", "count", "max", "min", "average", "length", "floor", "ceil", "abs", "sqrt", "power", "random",
                "boolean", "not", "single", "exists", "error", "assert", "type", "millis");
        Field frame = Jsonata.class.getDeclaredField("staticFrame");
        Field bindings = Jsonata.Frame.class.getDeclaredField("bindings");
        frame.setAccessible(true);
        bindings.setAccessible(true);
        Jsonata.Frame bounded = new Jsonata.Frame(null);
        new ExpressionFunctions(() -> new ExpressionBounds("", AGES)).bindTo(bounded);

        Map<?, ?> functions = (Map<?, ?>) bindings.get(frame.get(null));

        assertThat(functions.keySet())
                .hasSizeGreaterThan(60)
                .allMatch(name -> plain.contains(name) || bounded.lookup((String) name) != null);
    }

    @Test
    void all_expressions_share_the_bounded_functions() {
        Jsonata compiled = Jsonata.jsonata("1");
        ExpressionBounds bounds = new ExpressionBounds("1", AGES);
        Jsonata.Frame one = bounds.begin(compiled, Map.of());
        bounds.end();
        ExpressionBounds others = new ExpressionBounds("2", AGES);
        Jsonata.Frame other = others.begin(compiled, Map.of());
        others.end();

        for (String function : List.of("match", "replace", "distinct")) {
            assertThat(one.lookup(function)).isNotNull().isSameAs(other.lookup(function));
        }
    }
}
