package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationTest {

    @ParameterizedTest
    @CsvSource({
        "topic:alerts,     TOPIC,    alerts",
        "member:ada,       MEMBER,   ada",
        "queue:mail:eu,    QUEUE,    mail:eu",
        "workflow:invoice, WORKFLOW, invoice",
    })
    void a_parsed_destination_is_written_unchanged(String text, Destination.Kind kind, String reference) {
        assertThat(Destination.parse(text)).isEqualTo(new Destination(kind, reference));
        assertThat(Destination.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "topic", "topic:", "alerts", "Topic:alerts", "mesh:a", ":a", " topic:a"})
    void anything_else_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Destination.parse(text));
    }

    @ParameterizedTest
    @EnumSource
    void a_parsed_priority_is_written_unchanged(Priority priority) {
        assertThat(Priority.parse(priority.word())).isEqualTo(priority);
    }

    @Test
    void a_priority_is_lower_case() {
        assertThat(Priority.DEFAULT.word()).isEqualTo("next");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Priority.parse("NOW"))
                .withMessageContaining("now, next or low");
    }
}
