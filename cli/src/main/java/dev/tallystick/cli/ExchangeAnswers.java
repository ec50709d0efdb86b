package dev.tallystick.cli;

import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ArrayValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Answers of the exchange's commands: sentences and lists. */
abstract class ExchangeAnswers extends TallyCommand {

    final void answer(String text) {
        answer(text, new LinkedHashMap<>(Map.of("answer", Json.of(text))));
    }

    final <T> void answerAll(String field, List<T> items, Function<T, String> line, Function<T, Json> json) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put(field, new ArrayValue(items.stream().map(json).toList()));
        answer(items.isEmpty() ? "none" : items.stream().map(line).collect(Collectors.joining("\n")), fields);
    }

    /** The members of a JSON object. */
    static final class Fields {

        private final SequencedMap<String, Json> members = new LinkedHashMap<>();

        Fields with(String name, String value) {
            members.put(name, Json.of(value));
            return this;
        }

        Fields with(String name, long value) {
            members.put(name, Json.of(value));
            return this;
        }

        Fields with(String name, List<String> values) {
            members.put(name, new ArrayValue(values.stream().<Json>map(Json::of).toList()));
            return this;
        }

        Json json() {
            return new Json.ObjectValue(members);
        }
    }
}
