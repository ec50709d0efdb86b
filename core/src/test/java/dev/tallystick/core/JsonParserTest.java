package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tallystick.core.JsonRefused.Reason;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonParserTest {

    @Test
    void every_kind_of_value_is_read() {
        Json read = Json.parse(" {\"list\": [1, -0.5, \"text\", true, false, null, [], {}]}\r\n\t");

        assertThat(read)
                .isEqualTo(new Json.ObjectValue(Map.of(
                        "list",
                        new Json.ArrayValue(List.of(
                                Json.of(1),
                                Json.of(-0.5),
                                Json.of("text"),
                                Json.of(true),
                                Json.of(false),
                                Json.ofNull(),
                                new Json.ArrayValue(List.of()),
                                new Json.ObjectValue(Map.of()))))));
    }

    @Test
    void escapes_are_read_as_the_characters_they_stand_for() {
        assertThat(Json.parse("\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\uD83D\\uDE00 plain\""))
                .isEqualTo(Json.of("\" \\ / \b \f \n \r \t \u00e9 \uD83D\uDE00 plain"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0000',
            value = {
                "01                     | 0  | a number must not have a leading zero",
                "-01                    | 1  | a number must not have a leading zero",
                "[1,00]                 | 3  | a number must not have a leading zero",
                "-                      | 1  | a digit is missing",
                "+1                     | 0  | unexpected character; a value must begin here",
                ".5                     | 0  | unexpected character; a value must begin here",
                "1.                     | 2  | a digit is missing",
                "1.e5                   | 2  | a digit is missing",
                "1e                     | 2  | a digit is missing",
                "1e+                    | 3  | a digit is missing",
                "NaN                    | 0  | unexpected character; a value must begin here",
                "Infinity               | 0  | unexpected character; a value must begin here",
                "-Infinity              | 1  | a digit is missing",
                "tru                    | 0  | unexpected character; a value must begin here",
                "nul                    | 0  | unexpected character; a value must begin here",
                "'a'                    | 0  | unexpected character; a value must begin here",
                "[1 2]                  | 3  | a comma or ] is missing",
                "[1,]                   | 3  | unexpected character; a value must begin here",
                "[1                     | 2  | a comma or ] is missing",
                "[                      | 1  | a value is missing",
                "{a:1}                  | 1  | a member must begin with its name in quotes",
                "{\"a\" 1}              | 5  | a colon is missing after the name",
                "{\"a\":1,}             | 7  | a member must begin with its name in quotes",
                "{\"a\":1               | 6  | a comma or } is missing",
                "{\"a\":}               | 5  | unexpected character; a value must begin here",
                "\"abc                  | 4  | the string is not terminated",
                "\"\\x\"                | 2  | unknown escape sequence",
                "\"\\u00g0\"            | 5  | \\u must be followed by four hexadecimal digits",
                "\"\\u00                | 5  | \\u must be followed by four hexadecimal digits",
                "// comment             | 0  | unexpected character; a value must begin here",
            })
    void syntax_errors_are_refused_with_their_position(String text, int position, String detail) {
        JsonRefused refused = refusalOf(text);

        assertThat(refused.reason()).isEqualTo(Reason.SYNTAX);
        assertThat(refused.position()).isEqualTo(position);
        assertThat(refused).hasMessage("line 1, column " + (position + 1) + ": " + detail);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 1", "{} x", "null,", "\"a\"\"b\"", "1a", "truefalse", "0x10", "1\u00a0"})
    void a_second_value_after_the_first_is_refused(String text) {
        assertThat(refusalOf(text).reason()).isEqualTo(Reason.TRAILING_CONTENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "\uFEFF1", "\u00a01", "\u0661", "\"a\nb\"", "\"\u0000\"", "\"\\u\u0661111\""})
    void empty_text_byte_order_marks_foreign_spaces_foreign_digits_and_raw_controls_are_refused(String text) {
        assertThat(refusalOf(text).reason()).isEqualTo(Reason.SYNTAX);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,\"a\":1}",
                "{\"a\":1,\"b\":2,\"\\u0061\":3}",
                "[{\"\":{},\"\":{}}]",
            })
    void a_name_that_appears_twice_is_refused_however_it_is_written(String text) {
        assertThat(refusalOf(text).reason()).isEqualTo(Reason.DUPLICATE_NAME);
    }

    @Test
    void the_same_name_in_different_objects_is_fine() {
        assertThat(Json.parse("{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}}").canonical())
                .isEqualTo("{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9007199254740993",
                "-9007199254740993",
                "9007199254740994",
                "10000000000000000",
                "12345678901234567890",
                "100000000000000000000000000000000",
                "9.007199254740994e15",
                "1e20",
                "-1e16",
                "123456789012345678.5",
            })
    void an_integer_beyond_two_to_the_53_is_refused_in_every_spelling(String text) {
        assertThat(refusalOf(text).reason()).isEqualTo(Reason.INEXACT_INTEGER);
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740992, 9007199254740992",
        "-9007199254740992, -9007199254740992",
        "9007199254740991, 9007199254740991",
        "1e15, 1000000000000000",
        "1E21, 1e+21",
        "1e300, 1e+300",
        "-0, 0",
        "-0.0, 0",
        "0e5, 0",
        "1.50, 1.5",
        "1e-400, 0",
    })
    void a_number_that_a_double_can_hold_is_read(String text, String canonical) {
        assertThat(Json.parse(text).canonical()).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e309", "-1e309", "1e999999999999", "[1.8e308]"})
    void a_number_that_no_double_can_hold_is_refused(String text) {
        assertThat(refusalOf(text).reason()).isEqualTo(Reason.NUMBER_OVERFLOW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\\ud800\"",
                "\"\\udc00\"",
                "\"\\udc00\\ud800\"",
                "\"\\ud800\\ud800\\udc00\"",
                "\"a\\ud83dz\"",
                "{\"\\ud800\":1}",
                "\"\ud800\"",
            })
    void a_lone_surrogate_is_refused(String text) {
        assertThat(refusalOf(text).reason()).isEqualTo(Reason.LONE_SURROGATE);
    }

    @ParameterizedTest
    @CsvSource({
        "22ff22, 1, a byte that never occurs",
        "22c080, 1, an overlong zero",
        "2261eda08022, 2, an encoded surrogate",
        "22f490808022, 1, beyond the last character",
        "22e282, 1, a sequence that is cut off",
    })
    void bytes_that_are_not_utf8_are_refused(String hex, int position, String why) {
        JsonRefused refused = catchThrowableOfType(
                JsonRefused.class, () -> Json.parse(HexFormat.of().parseHex(hex)));
        assertThat(refused.reason()).as(why).isEqualTo(Reason.NOT_UTF8);
        assertThat(refused.position()).as(why).isEqualTo(position);
    }

    @Test
    void depth_is_limited_regardless_of_the_stack() {
        JsonLimits three = new JsonLimits(100, 3);
        assertThat(Json.parse("[[[1]],[{}]]", three).canonical()).isEqualTo("[[[1]],[{}]]");
        JsonRefused refused = catchThrowableOfType(JsonRefused.class, () -> Json.parse("[[{\"a\":[]}]]", three));
        assertThat(refused.reason()).isEqualTo(Reason.TOO_DEEP);
        assertThat(refused.position()).isEqualTo(7);

        assertThat(refusalOf("[".repeat(500_000)).reason()).isEqualTo(Reason.TOO_DEEP);
        assertThat(refusalOf("{\"a\":".repeat(100_000)).reason()).isEqualTo(Reason.TOO_DEEP);
    }

    @Test
    void the_greatest_depth_fits_on_the_stack() {
        int depth = JsonLimits.GREATEST_DEPTH;
        String nested = "[".repeat(depth) + "]".repeat(depth);
        assertThat(Json.parse(nested, new JsonLimits(10_000, depth)).canonical())
                .isEqualTo(nested);
    }

    @Test
    void size_is_limited_in_bytes_for_text_as_well() {
        JsonLimits eight = new JsonLimits(8, 1);
        assertThat(Json.parse("\"\u20ac\u20ac\"", eight)).isEqualTo(Json.of("\u20ac\u20ac"));
        assertThat(Json.parse("\"123456\"".getBytes(StandardCharsets.UTF_8), eight))
                .isEqualTo(Json.of("123456"));
        for (String tooLong : List.of("\"1234567\"", "\"\u20ac\u20ac1\"", "        1")) {
            assertThatExceptionOfType(JsonRefused.class)
                    .isThrownBy(() -> Json.parse(tooLong, eight))
                    .matches(refused -> refused.reason() == Reason.TOO_LONG);
            assertThatExceptionOfType(JsonRefused.class)
                    .isThrownBy(() -> Json.parse(tooLong.getBytes(StandardCharsets.UTF_8), eight))
                    .matches(refused -> refused.reason() == Reason.TOO_LONG);
        }
    }

    @Test
    void a_refusal_names_the_line_and_the_column() {
        assertThat(refusalOf("{\n  \"a\": 1,\n  \"b\": 01\n}"))
                .hasMessage("line 3, column 8: a number must not have a leading zero");
    }

    private static JsonRefused refusalOf(String text) {
        JsonRefused refused = catchThrowableOfType(JsonRefused.class, () -> Json.parse(text));
        assertThat(refused).as("refusal of %s", text).isNotNull();
        return refused;
    }
}
