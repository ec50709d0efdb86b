package dev.tallystick.ledger.verifier.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "[true,false,null]",
                "[]",
                "{}",
                "{\"\":{},\"a\":[[],1],\"\u20ac\":{\"b\":\"\"}}",
                "[0,-1,1.5,1e21,1e-7,5e-324,0.000001,-1.7976931348623157e308,9007199254740992,123456789012.5]",
                "[\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\/\\u007f\",\"\u00e9\u20ac\ud83d\ude00\"]"
            })
    void the_length_of_a_document_is_that_of_the_text_a_writer_makes(String text) {
        String canonical = Json.parse(text).canonical();
        assertThat(CanonicalText.length(Replay.parse(canonical))).isEqualTo(canonical.getBytes(UTF_8).length);
    }
}
