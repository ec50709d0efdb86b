package dev.tallystick.ledger.json;

import dev.tallystick.core.Json;
import java.util.ArrayList;
import java.util.List;

/** A place in a JSON document (RFC 6901). */
record JsonPointer(List<String> tokens) {

    static final JsonPointer ROOT = new JsonPointer(List.of());

    static JsonPointer parse(String text) {
        if (text.isEmpty()) {
            return ROOT;
        }
        if (text.charAt(0) != '/') {
            throw new IllegalArgumentException("a pointer begins with '/': '" + text + "'");
        }
        List<String> tokens = new ArrayList<>();
        for (String token : text.substring(1).split("/", -1)) {
            tokens.add(unescape(token));
        }
        return new JsonPointer(List.copyOf(tokens));
    }

    JsonPointer child(String token) {
        List<String> longer = new ArrayList<>(tokens);
        longer.add(token);
        return new JsonPointer(List.copyOf(longer));
    }

    boolean isRoot() {
        return tokens.isEmpty();
    }

    boolean isProperPrefixOf(JsonPointer other) {
        return tokens.size() < other.tokens.size()
                && other.tokens.subList(0, tokens.size()).equals(tokens);
    }

    Json resolve(Json document) {
        Json at = document;
        for (String token : tokens) {
            at = switch (at) {
                case Json.ObjectValue object -> member(object, token);
                case Json.ArrayValue array ->
                    array.elements().get(index(token, array.elements().size() - 1));
                case Json.StringValue value -> throw nothingAt();
                case Json.NumberValue value -> throw nothingAt();
                case Json.BooleanValue value -> throw nothingAt();
                case Json.NullValue value -> throw nothingAt();
            };
        }
        return at;
    }

    /** An array index as RFC 6901 writes it, at most {@code largest}. */
    int index(String token, int largest) {
        boolean digits =
                !token.isEmpty() && token.length() < 10 && token.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!digits || (token.length() > 1 && token.charAt(0) == '0') || Integer.parseInt(token) > largest) {
            throw nothingAt();
        }
        return Integer.parseInt(token);
    }

    IllegalArgumentException nothingAt() {
        return new IllegalArgumentException("there is nothing at '" + this + "'");
    }

    private Json member(Json.ObjectValue object, String name) {
        Json member = object.members().get(name);
        if (member == null) {
            throw nothingAt();
        }
        return member;
    }

    private static String unescape(String token) {
        for (int i = token.indexOf('~'); i >= 0; i = token.indexOf('~', i + 1)) {
            if (i + 1 == token.length() || (token.charAt(i + 1) != '0' && token.charAt(i + 1) != '1')) {
                throw new IllegalArgumentException("'~' in a pointer must precede 0 or 1: '" + token + "'");
            }
        }
        return token.replace("~1", "/").replace("~0", "~");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        tokens.forEach(token -> text.append('/').append(token.replace("~", "~0").replace("/", "~1")));
        return text.toString();
    }
}
