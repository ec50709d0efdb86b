package dev.tallystick.server.http;

import dev.tallystick.core.Json;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.testkit.Randomness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Bodies as a route wants them, drawn by chance from its schema, and bodies that are wrong in one place. */
final class ShapedBody {

    /** What gets further than any word would. */
    private static final Map<String, Json> GOOD = Map.ofEntries(
            Map.entry("workflow", Json.of("sample.order")),
            Map.entry("input", Json.parse("{\"order\":\"x\"}")),
            Map.entry("priority", Json.of("now")),
            Map.entry("version", Json.of(1)),
            Map.entry("not_before", Json.of("2030-01-01T00:00:00Z")),
            Map.entry("to", Json.of("member:mallory")),
            Map.entry("inbox", Json.of("member:mallory")),
            Map.entry("mentions", Json.parse("[\"mallory\"]")),
            Map.entry("source", Json.of("member:mallory")),
            Map.entry("url", Json.of("http://127.0.0.1:1/")),
            Map.entry("cron", Json.of("0 3 * * *")),
            Map.entry("zone", Json.of("Europe/Berlin")),
            Map.entry("fingerprint", Json.of("ab".repeat(32))),
            Map.entry("outcome", Json.of("committed")),
            // A valid body must not make anyone wait.
            Map.entry("wait_seconds", Json.of(0)));

    private static final List<Json> ODD = List.of(
            Json.ofNull(),
            Json.of(true),
            Json.of(-1),
            Json.of(1.5),
            Json.of(1L << 53),
            Json.of(""),
            Json.of("\0"),
            Json.of("\u202e\ud83d\ude00"),
            Json.of("x".repeat(5_000)),
            // Too long for an index, however Postgres compresses it.
            Json.of(Randomness.ofSeed(1).noise(5_000)),
            Json.of("2030-01-01T00:00:00Z"),
            Json.of("00000000-0000-7000-8000-000000000000"),
            Json.parse("[]"),
            Json.parse("[null,{},[[[]]]]"),
            Json.parse("{}"),
            Json.parse("{\"a\":{\"b\":[1]}}"));

    private final Randomness random;

    ShapedBody(Randomness random) {
        this.random = random;
    }

    Json good(Route route) {
        return value(
                "", RecordBinding.of(Objects.requireNonNull(route.request())).schema());
    }

    /** With something else somewhere, with a member too many, or without one. */
    Json wrongSomewhere(Json value) {
        return switch (value) {
            case Json.ObjectValue object
            when !object.members().isEmpty() && random.chance(0.9) -> {
                Map<String, Json> members = new TreeMap<>(object.members());
                String name = random.oneOf(List.copyOf(members.keySet()));
                switch (random.nextInt(6)) {
                    case 0 -> members.remove(name);
                    case 1 -> members.put(random.word(8), random.oneOf(ODD));
                    default -> members.put(name, wrongSomewhere(Objects.requireNonNull(members.get(name))));
                }
                yield new Json.ObjectValue(members);
            }
            case Json.ArrayValue array
            when !array.elements().isEmpty() && random.chance(0.7) -> {
                List<Json> elements = new ArrayList<>(array.elements());
                int at = random.nextInt(elements.size());
                elements.set(at, wrongSomewhere(elements.get(at)));
                yield new Json.ArrayValue(elements);
            }
            default -> random.oneOf(ODD);
        };
    }

    private Json value(String name, Json schema) {
        Json good = GOOD.get(name);
        if (good != null && random.chance(0.9)) {
            return good;
        }
        if (!(schema instanceof Json.ObjectValue typed)) {
            return random.oneOf(ODD);
        }
        return switch (word(typed, "type")) {
            case "object" -> object(typed);
            case "array" ->
                new Json.ArrayValue(random.listOf(
                        3,
                        unused ->
                                value("", Objects.requireNonNull(typed.members().get("items")))));
            case "integer" -> Json.of(random.nextInt(3));
            case "boolean" -> Json.of(random.nextBoolean());
            default ->
                Json.of(
                        switch (word(typed, "format")) {
                            case "uuid" -> "00000000-0000-7000-8000-000000000000";
                            case "date-time" -> "2030-01-01T00:00:00Z";
                            default -> "w" + random.word(20);
                        });
        };
    }

    private Json object(Json.ObjectValue schema) {
        Map<String, Json> members = new TreeMap<>();
        List<Json> required =
                schema.members().get("required") instanceof Json.ArrayValue names ? names.elements() : List.of();
        if (schema.members().get("properties") instanceof Json.ObjectValue properties) {
            properties.members().forEach((name, property) -> {
                if (required.contains(Json.of(name)) || random.nextBoolean()) {
                    members.put(name, value(name, property));
                }
            });
        }
        return new Json.ObjectValue(members);
    }

    private static String word(Json.ObjectValue schema, String name) {
        return schema.members().get(name) instanceof Json.StringValue text ? text.value() : "";
    }
}
