package dev.tallystick.core.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.Role;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordBindingTest {

    private static final UUID ID = new UUID(0x01890a5dac96774bL, 0xbcceb302099a8057L);

    private record Everything(
            int count,
            long position,
            boolean isDone,
            String text,
            Instant at,
            UUID someId,
            Json any,
            Json.ObjectValue object,
            RawJson raw,
            Priority priority,
            List<Role> roles,
            Destination to,
            URI url,
            Map<String, String> words,
            @Nullable Inner inner) {}

    private record Inner(List<String> names, @Nullable String note) {}

    private static final Everything EVERYTHING = new Everything(
            1,
            2,
            true,
            "three",
            Instant.parse("2030-01-31T12:00:00Z"),
            ID,
            Json.ofNull(),
            new Json.ObjectValue(Map.of("a", Json.of(1))),
            RawJson.of("{\"b\":2}"),
            Priority.LOW,
            List.of(Role.ADMIN, Role.WORKER),
            Destination.parse("topic:orders"),
            URI.create("https://example.org/hook"),
            Map.of("customer", "ann"),
            new Inner(List.of("x", "y"), null));

    private static final String TEXT = """
            {"count":1,"position":2,"is_done":true,"text":"three","at":"2030-01-31T12:00:00Z",\
            "some_id":"01890a5d-ac96-774b-bcce-b302099a8057","any":null,"object":{"a":1},"raw":{"b":2},\
            "priority":"low","roles":["admin","worker"],"to":"topic:orders","url":"https://example.org/hook",\
            "words":{"customer":"ann"},"inner":{"names":["x","y"]}}""";

    private static Object server(Class<?> type, String json) {
        return RecordBinding.of(type).read(Json.parse(json));
    }

    private static Object client(Class<?> type, String json) {
        return RecordBinding.ofAnswer(type).read(Json.parse(json));
    }

    @Test
    void both_sides_read_what_is_written() {
        assertThat(RecordBinding.text(EVERYTHING)).isEqualTo(TEXT);
        assertThat(server(Everything.class, TEXT)).isEqualTo(EVERYTHING);
        assertThat(client(Everything.class, TEXT)).isEqualTo(EVERYTHING);
    }

    @Test
    void a_server_refuses_a_member_that_it_does_not_know_and_a_client_ignores_it() {
        String newer = "{\"names\":[],\"colour\":\"red\"}";

        assertThatThrownBy(() -> server(Inner.class, newer))
                .isInstanceOf(RecordRefused.class)
                .hasMessage("the body has an unknown field 'colour'");
        assertThat(client(Inner.class, newer)).isEqualTo(new Inner(List.of(), null));
    }

    @Test
    void both_sides_refuse_what_is_missing_or_of_another_kind() {
        for (String wrong : List.of("[]", "{}", "{\"names\":null}", "{\"names\":\"x\"}", "{\"names\":[1]}")) {
            assertThatThrownBy(() -> server(Inner.class, wrong)).as(wrong).isInstanceOf(RecordRefused.class);
            assertThatThrownBy(() -> client(Inner.class, wrong)).as(wrong).isInstanceOf(RecordRefused.class);
        }
        for (String wrong : List.of("\"urgent\"", "1", "null")) {
            String json = TEXT.replace("\"low\"", wrong);
            assertThatThrownBy(() -> client(Everything.class, json))
                    .isInstanceOf(RecordRefused.class)
                    .hasMessageStartingWith("priority ");
        }
    }

    @Test
    void a_client_expects_no_negative_count_and_neither_side_an_inexact_number() {
        String negative = TEXT.replace("\"count\":1", "\"count\":-1");

        assertThat(((Everything) server(Everything.class, negative)).count()).isEqualTo(-1);
        assertThatThrownBy(() -> client(Everything.class, negative)).hasMessage("count is a whole number");
        assertThatThrownBy(() -> server(Everything.class, TEXT.replace("\"position\":2", "\"position\":1e300")))
                .hasMessage("position is a whole number");
    }

    @Test
    void empty_words_are_left_out_and_missing_ones_are_empty() {
        String without = TEXT.replace("\"words\":{\"customer\":\"ann\"},", "");
        Everything read = (Everything) client(Everything.class, without);

        assertThat(read.words()).isEmpty();
        assertThat(RecordBinding.text(read)).isEqualTo(without);
    }
}
