package dev.tallystick.ledger.json;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A JSON Patch (RFC 6902): all of its operations are applied, or none. */
public record JsonPatch(Json.ArrayValue operations) {

    /** Every document, patch and record of conflicts is within these limits. */
    public static final JsonLimits LIMITS = new JsonLimits(16 << 20, 256);

    public static final int MOST_OPERATIONS = 10_000;

    /** All values that the operations of a patch copy or move, with the values inside them: copies of copies double each time. */
    public static final int MOST_COPIED = 1_000_000;

    public JsonPatch {
        if (operations.elements().size() > MOST_OPERATIONS) {
            throw new IllegalArgumentException("a patch has at most " + MOST_OPERATIONS + " operations");
        }
        operations.elements().forEach(Operation::parse);
    }

    public static JsonPatch of(Json json) {
        if (!(json instanceof Json.ArrayValue operations)) {
            throw new IllegalArgumentException("a patch is an array of operations");
        }
        return new JsonPatch(operations);
    }

    public static JsonPatch parse(String text) {
        return of(Json.parse(text, LIMITS));
    }

    /**
     * Applies the operations in order. No operation makes the document too deep, and together they do not make it too long.
     *
     * @throws IllegalArgumentException if an operation does not fit
     */
    public Json applyTo(Json document) {
        Json result = document;
        int copied = 0;
        for (Json json : operations.elements()) {
            Operation operation = Operation.parse(json);
            copied += operation.copied(result, MOST_COPIED - copied);
            result = operation.applyTo(result);
        }
        if (copied > 0) {
            // Copies share memory, so even a small patch may lead to a text that no memory can hold.
            result.canonical(LIMITS);
        }
        return result;
    }

    /** One operation. {@code value} and {@code from} are unused if the operation has none. */
    private record Operation(String op, JsonPointer path, JsonPointer from, Json value) {

        static Operation parse(Json json) {
            if (!(json instanceof Json.ObjectValue object)) {
                throw new IllegalArgumentException("an operation of a patch is an object");
            }
            String op = text(object, "op");
            JsonPointer path = JsonPointer.parse(text(object, "path"));
            boolean hasFrom = op.equals("move") || op.equals("copy");
            JsonPointer from = hasFrom ? JsonPointer.parse(text(object, "from")) : path;
            Json value = switch (op) {
                case "add", "replace", "test" -> required(object, "value");
                case "remove", "move", "copy" -> Json.ofNull();
                default -> throw new IllegalArgumentException("'" + op + "' is not a patch operation");
            };
            if (op.equals("move") && from.isProperPrefixOf(path)) {
                throw new IllegalArgumentException("'" + from + "' cannot be moved into itself");
            }
            return new Operation(op, path, from, value);
        }

        Json applyTo(Json document) {
            return switch (op) {
                case "add" -> add(document, path, value);
                case "remove" -> remove(document, path);
                case "replace" -> replace(document);
                case "move" -> add(remove(document, from), path, from.resolve(document));
                case "copy" -> add(document, path, from.resolve(document));
                case "test" -> test(document);
                default -> throw new IllegalStateException(op);
            };
        }

        /**
         * The number of values that this operation copies or moves, after checking that it nests nothing too deep.
         *
         * @param most how many it may copy or move
         */
        int copied(Json document, int most) {
            int depth = path.tokens().size();
            return switch (op) {
                case "move", "copy" -> new Extent(most).count(from.resolve(document), depth);
                case "add", "replace" -> {
                    new Extent(Integer.MAX_VALUE).count(value, depth);
                    yield 0;
                }
                default -> 0;
            };
        }

        private Json replace(Json document) {
            path.resolve(document);
            return path.isRoot() ? value : edit(document, path, 0, (parent, last) -> set(parent, last, value));
        }

        private Json test(Json document) {
            if (!path.resolve(document).equals(value)) {
                throw new IllegalArgumentException("the test at '" + path + "' fails");
            }
            return document;
        }

        private static Json required(Json.ObjectValue object, String name) {
            Json member = object.members().get(name);
            if (member == null) {
                throw new IllegalArgumentException("an operation of a patch lacks '" + name + "'");
            }
            return member;
        }

        private static String text(Json.ObjectValue object, String name) {
            if (!(required(object, name) instanceof Json.StringValue text)) {
                throw new IllegalArgumentException("'" + name + "' of an operation is a string");
            }
            return text.value();
        }
    }

    /** Counts values, and refuses those that are too many or nested too deep. */
    private static final class Extent {

        private final int most;
        private int count;

        Extent(int most) {
            this.most = most;
        }

        int count(Json json, int depth) {
            if (++count > most) {
                throw new IllegalArgumentException(
                        "a patch copies or moves at most " + MOST_COPIED + " values; put the whole document instead");
            }
            switch (json) {
                case Json.ObjectValue object -> countAll(object.members().values(), depth + 1);
                case Json.ArrayValue array -> countAll(array.elements(), depth + 1);
                case Json.StringValue value -> {}
                case Json.NumberValue value -> {}
                case Json.BooleanValue value -> {}
                case Json.NullValue value -> {}
            }
            return count;
        }

        private void countAll(java.util.Collection<Json> values, int depth) {
            if (depth > LIMITS.depth()) {
                throw new IllegalArgumentException(
                        "a document must not be nested more than " + LIMITS.depth() + " deep");
            }
            values.forEach(value -> count(value, depth));
        }
    }

    /** Changes the container that holds the last token of a path. */
    private interface Edit {
        Json apply(Json container, String last);
    }

    private static Json add(Json document, JsonPointer path, Json value) {
        return path.isRoot()
                ? value
                : edit(document, path, 0, (container, last) -> insert(path, container, last, value));
    }

    private static Json remove(Json document, JsonPointer path) {
        path.resolve(document);
        if (path.isRoot()) {
            throw new IllegalArgumentException("a patch cannot delete the whole document; use delete");
        }
        return edit(document, path, 0, (container, last) -> without(path, container, last));
    }

    private static Json edit(Json at, JsonPointer path, int depth, Edit edit) {
        String token = path.tokens().get(depth);
        if (depth == path.tokens().size() - 1) {
            return edit.apply(at, token);
        }
        Json child = new JsonPointer(List.of(token)).resolve(at);
        return set(at, token, edit(child, path, depth + 1, edit));
    }

    private static Json insert(JsonPointer path, Json container, String last, Json value) {
        if (container instanceof Json.ArrayValue array) {
            List<Json> elements = new ArrayList<>(array.elements());
            elements.add(last.equals("-") ? elements.size() : path.index(last, elements.size()), value);
            return new Json.ArrayValue(elements);
        }
        if (container instanceof Json.ObjectValue) {
            return set(container, last, value);
        }
        throw path.nothingAt();
    }

    private static Json without(JsonPointer path, Json container, String last) {
        if (container instanceof Json.ArrayValue array) {
            List<Json> elements = new ArrayList<>(array.elements());
            elements.remove(path.index(last, elements.size() - 1));
            return new Json.ArrayValue(elements);
        }
        Map<String, Json> members = new TreeMap<>(((Json.ObjectValue) container).members());
        members.remove(last);
        return new Json.ObjectValue(members);
    }

    private static Json set(Json container, String last, Json value) {
        if (container instanceof Json.ArrayValue array) {
            List<Json> elements = new ArrayList<>(array.elements());
            elements.set(Integer.parseInt(last), value);
            return new Json.ArrayValue(elements);
        }
        Map<String, Json> members = new TreeMap<>(((Json.ObjectValue) container).members());
        members.put(last, value);
        return new Json.ObjectValue(members);
    }
}
