package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.JsonRefused.Reason;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.erdtman.jcs.JsonCanonicalizer;
import org.erdtman.jcs.NumberToJSON;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonTest {

    private static final Seed SEED = Seed.orDefault(8785);

    /** The number samples of RFC 8785, appendix B. */
    @ParameterizedTest
    @CsvSource({
        "0000000000000000, 0",
        "8000000000000000, 0",
        "0000000000000001, 5e-324",
        "8000000000000001, -5e-324",
        "7fefffffffffffff, 1.7976931348623157e+308",
        "ffefffffffffffff, -1.7976931348623157e+308",
        "4340000000000000, 9007199254740992",
        "c340000000000000, -9007199254740992",
        "4430000000000000, 295147905179352830000",
        "44b52d02c7e14af5, 9.999999999999997e+22",
        "44b52d02c7e14af6, 1e+23",
        "44b52d02c7e14af7, 1.0000000000000001e+23",
        "444b1ae4d6e2ef4e, 999999999999999700000",
        "444b1ae4d6e2ef4f, 999999999999999900000",
        "444b1ae4d6e2ef50, 1e+21",
        "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
        "3eb0c6f7a0b5ed8d, 0.000001",
        "41b3de4355555553, 333333333.3333332",
        "41b3de4355555554, 333333333.33333325",
        "41b3de4355555555, 333333333.3333333",
        "41b3de4355555556, 333333333.3333334",
        "41b3de4355555557, 333333333.33333343",
        "becbf647612f3696, -0.0000033333333333333333",
        "43143ff3c1cb0959, 1424953923781206.2",
    })
    void numbers_are_written_as_in_the_samples_of_the_rfc(String bits, String expected) {
        assertThat(CanonicalJson.number(Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16))))
                .isEqualTo(expected);
    }

    @Test
    void random_doubles_are_written_as_the_oracle_writes_them() throws IOException {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 200_000; i++) {
            assertSameAsOracle(Double.longBitsToDouble(random.nextLong()));
        }
    }

    @Test
    void powers_of_ten_and_their_neighbours_are_written_as_the_oracle_writes_them() throws IOException {
        for (int exponent = -307; exponent <= 308; exponent++) {
            double power = Double.parseDouble("1e" + exponent);
            for (double value :
                    new double[] {Math.nextDown(power), power, Math.nextUp(power), 2 * power, 9.5 * power}) {
                assertSameAsOracle(value);
            }
        }
    }

    @Test
    void no_shorter_number_means_the_same_and_none_as_short_is_closer() {
        RandomGenerator random = SEED.random();
        for (long bits = 1; bits < 5_000; bits++) {
            assertShortest(Double.longBitsToDouble(bits));
            assertShortest(Double.longBitsToDouble(random.nextLong(1L << 52)));
            assertShortest(Double.longBitsToDouble(random.nextLong()));
        }
    }

    @Test
    void random_documents_are_written_as_the_oracle_writes_them() throws IOException {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 5_000; i++) {
            String document = RandomJson.document(random);
            assertThat(Json.parse(document).canonical())
                    .as("%s, document %s", SEED, i)
                    .isEqualTo(new JsonCanonicalizer(document).getEncodedString());
        }
    }

    @Test
    void a_canonical_document_is_read_back_as_the_same_value_and_the_same_text() {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 5_000; i++) {
            Json value = Json.parse(RandomJson.document(random));
            byte[] canonical = value.canonicalBytes();
            Json again = Json.parse(canonical);
            assertThat(again).as("%s, document %s", SEED, i).isEqualTo(value);
            assertThat(again.canonicalBytes()).isEqualTo(canonical);
        }
    }

    @Test
    void names_are_ordered_by_utf16_code_units_not_by_code_points() {
        String names =
                "{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7}";
        assertThat(Json.parse(names).canonical())
                .isEqualTo(
                        "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\ud83d\ude00\":5,\"\ufb33\":3}");
    }

    @Test
    void only_what_must_be_escaped_is_escaped() {
        assertThat(Json.of("\u0000\b\t\n\u000b\f\r\u001f \"\\/\u007f\u2028\u00e9\ud83d\ude00")
                        .canonical())
                .isEqualTo("\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/\u007f\u2028\u00e9\ud83d\ude00\"");
    }

    @Test
    void the_bytes_are_the_utf8_of_the_text() {
        Json value = Json.of("\u20ac\ud83d\ude00");
        assertThat(value.canonicalBytes()).isEqualTo("\"\u20ac\ud83d\ude00\"".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void values_that_have_no_canonical_form_cannot_be_made() {
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(Double.POSITIVE_INFINITY));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of((1L << 53) + 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(Long.MIN_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(1e20));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of("\ud800"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Json.ObjectValue(Map.of("\udc00", Json.ofNull())));
    }

    @Test
    void minus_zero_is_zero() {
        assertThat(Json.of(-0.0)).isEqualTo(Json.of(0));
    }

    @Test
    void a_value_does_not_change_with_the_collection_it_was_made_from() {
        List<Json> elements = new ArrayList<>(List.of(Json.of(1)));
        Json array = new Json.ArrayValue(elements);
        elements.add(Json.of(2));
        assertThat(array.canonical()).isEqualTo("[1]");
    }

    private static void assertSameAsOracle(double value) throws IOException {
        if (Double.isFinite(value) && Math.abs(value) >= Double.MIN_NORMAL) {
            assertThat(CanonicalJson.number(value)).as(context(value)).isEqualTo(NumberToJSON.serializeNumber(value));
        }
    }

    private static void assertShortest(double value) {
        if (!Double.isFinite(value) || value == 0) {
            return;
        }
        BigDecimal written = new BigDecimal(CanonicalJson.number(value)).stripTrailingZeros();
        assertThat(written.doubleValue()).as(context(value)).isEqualTo(value);

        BigDecimal exact = new BigDecimal(value);
        if (written.precision() > 1) {
            MathContext shorter = new MathContext(written.precision() - 1, RoundingMode.DOWN);
            BigDecimal below = exact.round(shorter);
            BigDecimal above = below.add(below.ulp().multiply(BigDecimal.valueOf(below.signum())));
            assertThat(below.doubleValue()).as(context(value)).isNotEqualTo(value);
            assertThat(above.doubleValue()).as(context(value)).isNotEqualTo(value);
        }
        BigDecimal distance = written.subtract(exact).abs();
        for (BigDecimal neighbour : List.of(written.add(written.ulp()), written.subtract(written.ulp()))) {
            if (neighbour.doubleValue() == value) {
                assertThat(neighbour.subtract(exact).abs()).as(context(value)).isGreaterThanOrEqualTo(distance);
            }
        }
    }

    private static String context(double value) {
        return SEED + ", bits " + Long.toHexString(Double.doubleToRawLongBits(value));
    }

    @Test
    void a_value_as_long_as_the_limit_is_written_and_a_longer_one_is_refused() {
        Json text = Json.parse("[\"é\",12]");

        assertThat(text.canonical(new JsonLimits(9, 1))).isEqualTo("[\"é\",12]");
        assertRefused(Reason.TOO_LONG, text, new JsonLimits(8, 1));
        assertRefused(Reason.TOO_LONG, Json.parse("[1,2,3]"), new JsonLimits(6, 1));
    }

    /** Written in full it would have 2 to the power of 64 elements. */
    @Test
    void a_value_that_shares_its_parts_is_given_up_at_the_limit() {
        Json shared = Json.of(1);
        for (int i = 0; i < 64; i++) {
            shared = new Json.ArrayValue(List.of(shared, shared));
        }

        assertRefused(Reason.TOO_LONG, shared, new JsonLimits(1_000, 100));
    }

    @Test
    void depth_counts_what_is_nested_and_not_what_is_side_by_side() {
        JsonLimits two = new JsonLimits(100, 2);
        for (String flat : List.of("[[],[],{},{},[]]", "{\"a\":{},\"b\":[],\"c\":{}}")) {
            assertThat(Json.parse(flat, two).canonical(two)).isEqualTo(flat);
        }
        for (String deep : List.of(
                "[[[]]]", "{\"a\":{\"b\":{}}}", "[[],{\"a\":[]}]", "[[],[[]]]", "[{},[[]]]", "[{},{\"a\":{}}]")) {
            assertRefused(Reason.TOO_DEEP, Json.parse(deep), two);
            assertThatThrownBy(() -> Json.parse(deep, two))
                    .as(deep)
                    .isInstanceOfSatisfying(
                            JsonRefused.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_DEEP));
        }
    }

    private static void assertRefused(Reason reason, Json value, JsonLimits limits) {
        assertThatThrownBy(() -> value.canonical(limits))
                .isInstanceOfSatisfying(
                        JsonRefused.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
