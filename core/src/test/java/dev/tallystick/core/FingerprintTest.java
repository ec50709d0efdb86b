package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Envelope.Body;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hex values were computed outside Java, from the definition. They never change: keys in use depend on them. */
class FingerprintTest {

    private static final Envelope HELLO = Envelope.of(Destination.parse("topic:alerts"), new Body.Text("hello"));

    @Test
    void the_golden_vector_holds() {
        assertThat(Fingerprint.of(HELLO))
                .hasToString("b2feb3bbc4a14c84a8a86c31c7a1a87362faebfd585edc7d31894485ed9657a0");
    }

    @Test
    void json_and_the_text_that_it_is_written_in_are_told_apart() {
        assertThat(Fingerprint.of(alert(new Body.Text("1"))))
                .hasToString("32e2a1c2c56cf66299e5258f19373013615496940957d1168d0706543be98f62");
        assertThat(Fingerprint.of(alert(new Body.Document(Json.parse("1")))))
                .hasToString("9ecc014561e00d676492b9ce973df8ae3278dc017432bc98aeb82561d471ef7a");
        assertThat(Fingerprint.of(alert(new Body.Text("{\"a\":1}"))))
                .hasToString("084b7e3eab41c970724804c252c1b2ecdc736483c330c143fae6b8c79e57b3d2");
        assertThat(Fingerprint.of(alert(new Body.Document(Json.parse("{\"a\": 1.0}")))))
                .hasToString("b5ab5e45ad84e9ed21239e25411df5eefcf01213225097bcd68e869861edd096");
    }

    private static Envelope alert(Body body) {
        return Envelope.of(Destination.parse("topic:alerts"), body);
    }

    @Test
    void every_optional_field_counts() {
        Envelope full = Envelope.of(Destination.parse("member:ada"), new Body.Text("h\u00e9llo \ud83d\ude00"))
                .withReplyTo("0198c0de-0000-7000-8000-000000000001")
                .withPriority(Priority.NOW)
                .withMeta((Json.ObjectValue) Json.parse("{\"z\": \"\\u20ac\", \"a\": [1.0, 25e-1]}"))
                .withMentions(List.of("dave", "bob", "carol"));
        assertThat(Fingerprint.of(full))
                .hasToString("151b0f0653dea2d550050c6c0ccd368d7ae07da05229503e5fca491ea1f13a15");
    }

    @Test
    void a_job_is_its_workflow_and_its_input_in_canonical_form() {
        Json input = Json.parse("{\"to\": null, \"lines\": [1, 2e0], \"amount\": \"12.50\"}");
        assertThat(Fingerprint.of(Envelope.ofJob("invoice", input)))
                .hasToString("2f56642a3ef7c7b9842e99518ce007cbf233f5eed7163ada9e5db70af24b5751");
    }

    @Test
    void a_string_as_input_keeps_its_quotes() {
        assertThat(Fingerprint.of(Envelope.ofJob("invoice", Json.of("hello")).withPriority(Priority.LOW)))
                .hasToString("a931bc4dfcad28bf4e80497480759d90c30a48a44e724eea03ca81f928ab9912");
    }

    @Test
    void an_empty_body_and_a_colon_in_the_reference_are_fine() {
        assertThat(Fingerprint.of(Envelope.of(Destination.parse("queue:mail:eu"), new Body.Text(""))
                        .withPriority(Priority.LOW)))
                .hasToString("fd79b37c71f0828ef361a3adfc577c64548b5b02669a2558cabbb5ba616d5d6a");
    }

    @Test
    void mentions_are_ordered_by_utf16_code_units_whatever_order_they_came_in() {
        List<String> mentions = List.of("\ufb33", "\ud83d\ude00", "a");
        assertThat(Fingerprint.of(Envelope.of(Destination.parse("topic:t"), new Body.Text("x"))
                        .withMentions(mentions)))
                .hasToString("b1d030edb43d97add616bcb8e5c8cd62397d573ab3b9fa98efaeb4de0b71bd35");
    }

    @Test
    void empty_meta_is_no_meta() {
        assertThat(Fingerprint.of(HELLO.withMeta(new Json.ObjectValue(Map.of()))))
                .isEqualTo(Fingerprint.of(HELLO));
    }

    @Test
    void a_change_in_any_field_changes_the_fingerprint() {
        Set<Fingerprint> different = Stream.of(
                        HELLO,
                        Envelope.of(Destination.parse("queue:alerts"), new Body.Text("hello")),
                        Envelope.of(Destination.parse("topic:alert"), new Body.Text("shello")),
                        Envelope.of(Destination.parse("topic:alerts"), new Body.Text("hello ")),
                        Envelope.of(Destination.parse("topic:alerts"), new Body.Document(Json.of("hello"))),
                        HELLO.withReplyTo("next"),
                        HELLO.withPriority(Priority.NOW),
                        HELLO.withMeta(new Json.ObjectValue(Map.of("a", Json.ofNull()))),
                        HELLO.withMentions(List.of("bob")),
                        HELLO.withMentions(List.of("bob", "bob")))
                .map(Fingerprint::of)
                .collect(Collectors.toSet());
        assertThat(different).hasSize(10);
    }

    @Test
    void text_that_would_make_field_boundaries_ambiguous_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Destination.parse("topic:a\0b"));
        assertThatIllegalArgumentException().isThrownBy(() -> HELLO.withReplyTo("a\0b"));
        assertThatIllegalArgumentException().isThrownBy(() -> HELLO.withReplyTo(""));
        assertThatIllegalArgumentException().isThrownBy(() -> HELLO.withMentions(List.of("a\0b")));
        assertThatIllegalArgumentException().isThrownBy(() -> HELLO.withMentions(List.of("a,b")));
        assertThatIllegalArgumentException().isThrownBy(() -> HELLO.withMentions(List.of("")));
    }

    @Test
    void text_without_a_utf8_form_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Destination.parse("topic:\ud800"));
        assertThatIllegalArgumentException().isThrownBy(() -> HELLO.withMentions(List.of("\udc00")));
        assertThatIllegalArgumentException().isThrownBy(() -> new Body.Text("\ud800"));
    }

    @Test
    void a_workflow_takes_json_only() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Envelope.of(Destination.parse("workflow:invoice"), new Body.Text("{}")));
    }

    @Test
    void a_nul_in_the_body_is_content() {
        Envelope zero = Envelope.of(Destination.parse("topic:alerts"), new Body.Text("\0"));
        assertThat(Fingerprint.of(zero)).isNotEqualTo(Fingerprint.of(HELLO));
    }

    @Test
    void the_prefix_is_the_first_eight_bytes() {
        Fingerprint fingerprint = Fingerprint.of(HELLO);
        assertThat(fingerprint.prefix()).isEqualTo("b2feb3bbc4a14c84");
        assertThat(HexFormat.of().formatHex(fingerprint.bytes())).isEqualTo(fingerprint.hex());
        assertThat(Fingerprint.of(fingerprint.bytes())).isEqualTo(fingerprint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "b2feb3bbc4a14c84",
                "B2FEB3BBC4A14C84A8A86C31C7A1A87362FAEBFD585EDC7D31894485ED9657A0",
                "b2feb3bbc4a14c84a8a86c31c7a1a87362faebfd585edc7d31894485ed9657a0\n",
                "g2feb3bbc4a14c84a8a86c31c7a1a87362faebfd585edc7d31894485ed9657a0",
            })
    void anything_but_32_bytes_in_lower_case_hex_is_refused(String hex) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Fingerprint(hex));
    }

    @Test
    void a_request_without_an_envelope_is_its_verb_and_what_it_is_about() {
        assertThat(Fingerprint.of("rerun", "job-1", "7"))
                .hasToString("e2712a1700a5a499ba65f623c7b9ad5f3840a24bad01bdd5787b542906eb9e0b");
        assertThat(Fingerprint.of("rerun", "job-1", "8")).isNotEqualTo(Fingerprint.of("rerun", "job-1", "7"));
        assertThat(Fingerprint.of("rerun", "job-17")).isNotEqualTo(Fingerprint.of("rerun", "job-1", "7"));
    }

    @Test
    void a_request_whose_parts_could_be_those_of_another_is_refused() {
        for (String ambiguous : List.of("\0", "a\0b", "\ud800")) {
            assertThatIllegalArgumentException().isThrownBy(() -> Fingerprint.of(ambiguous, "job-1"));
            assertThatIllegalArgumentException().isThrownBy(() -> Fingerprint.of("rerun", "job-1", ambiguous));
        }
    }
}
