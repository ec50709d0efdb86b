package dev.tallystick.ledger.verifier.document;

import dev.tallystick.ledger.verifier.git.Unsound;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Applies patches by changing a document in place: another way than the writer's, to the same end. */
public final class Replay {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final String ROOT = "/document";
    private static final Pattern POINTER = Pattern.compile("(/([^~/]|~[01])*+)*+", Pattern.DOTALL);
    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");
    private static final int MOST_OPERATIONS = 10_000;

    /** All values that a patch copies or moves, with the values inside them: copies of copies double each time. */
    private static final int MOST_COPIED = 1_000_000;

    private Replay() {}

    public static JsonNode parse(String text) {
        return MAPPER.readTree(text);
    }

    /** Changes a document, and returns what it has become. */
    public static JsonNode apply(JsonNode document, String patch) throws Unsound {
        ObjectNode holder = MAPPER.createObjectNode();
        holder.set("document", document);
        JsonNode operations = MAPPER.readTree(patch);
        if (!operations.isArray() || operations.size() > MOST_OPERATIONS) {
            throw new Unsound("its patch is none");
        }
        int number = 0;
        int copied = 0;
        for (JsonNode operation : operations) {
            number++;
            try {
                copied += apply(holder, operation, MOST_COPIED - copied);
            } catch (JacksonException | IllegalArgumentException | NullPointerException e) {
                throw new Unsound("operation " + number + " of its patch does not apply: " + e.getMessage());
            }
        }
        return holder.get("document");
    }

    /** Returns the number of values that were copied or moved. */
    private static int apply(ObjectNode holder, JsonNode operation, int most) {
        String path = pointer(operation, "path");
        switch (operation.get("op").stringValue()) {
            case "add" -> {
                values(required(operation), depth(path), Integer.MAX_VALUE);
                add(holder, path, required(operation));
            }
            case "remove" -> remove(holder, path);
            case "replace" -> {
                values(required(operation), depth(path), Integer.MAX_VALUE);
                replace(holder, path, required(operation));
            }
            case "move" -> {
                String from = pointer(operation, "from");
                if (path.startsWith(from + "/")) {
                    throw new IllegalArgumentException("nothing can be moved into itself");
                }
                JsonNode moved = at(holder, from);
                int values = values(moved, depth(path), most);
                if (!path.equals(from)) {
                    remove(holder, from);
                    add(holder, path, moved);
                }
                return values;
            }
            case "copy" -> {
                JsonNode copied = at(holder, pointer(operation, "from"));
                int values = values(copied, depth(path), most);
                add(holder, path, copied.deepCopy());
                return values;
            }
            case "test" -> {
                if (!at(holder, path).equals(required(operation))) {
                    throw new IllegalArgumentException("a test fails");
                }
            }
            default -> throw new IllegalArgumentException("no such operation");
        }
        return 0;
    }

    /**
     * The number of values in a node that is to have so many arrays and objects around it.
     *
     * @param most the largest number allowed
     */
    private static int values(JsonNode node, int depth, int most) {
        if (most < 1) {
            throw new IllegalArgumentException("the patch copies or moves more than " + MOST_COPIED + " values");
        }
        if (node.isContainer() && depth == CanonicalText.DEEPEST) {
            throw new IllegalArgumentException("it nests the document more than " + depth + " deep");
        }
        int values = 1;
        for (JsonNode below : node) {
            values += values(below, depth + 1, most - values);
        }
        return values;
    }

    /** The number of arrays and objects around what is at a path below the document. */
    private static int depth(String path) {
        return (int) path.chars().filter(c -> c == '/').count() - 1;
    }

    private static JsonNode required(JsonNode operation) {
        JsonNode value = operation.get("value");
        if (value == null) {
            throw new IllegalArgumentException("it has no value");
        }
        return value;
    }

    private static String pointer(JsonNode operation, String name) {
        String pointer = operation.get(name).stringValue();
        if (!POINTER.matcher(pointer).matches()) {
            throw new IllegalArgumentException("'" + pointer + "' is no pointer");
        }
        return ROOT + pointer;
    }

    private static void add(ObjectNode holder, String path, JsonNode value) {
        String last = last(path);
        switch (at(holder, parent(path))) {
            case ArrayNode array when last.equals("-") -> array.add(value);
            case ArrayNode array -> array.insert(index(last, array.size() + 1), value);
            case ObjectNode object -> object.set(last, value);
            default -> throw new IllegalArgumentException("nothing can be added here");
        }
    }

    private static void remove(ObjectNode holder, String path) {
        at(holder, path);
        if (path.equals(ROOT)) {
            throw new IllegalArgumentException("a patch does not delete the document");
        }
        switch (at(holder, parent(path))) {
            case ArrayNode array -> array.remove(index(last(path), array.size()));
            case ObjectNode object -> object.remove(last(path));
            default -> throw new IllegalArgumentException("nothing can be removed here");
        }
    }

    private static void replace(ObjectNode holder, String path, JsonNode value) {
        at(holder, path);
        switch (at(holder, parent(path))) {
            case ArrayNode array -> array.set(index(last(path), array.size()), value);
            case ObjectNode object -> object.set(last(path), value);
            default -> throw new IllegalArgumentException("nothing can be replaced here");
        }
    }

    private static JsonNode at(JsonNode from, String path) {
        JsonNode found = from.at(path);
        if (found.isMissingNode()) {
            throw new IllegalArgumentException("nothing is there");
        }
        return found;
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1).replace("~1", "/").replace("~0", "~");
    }

    private static int index(String token, int end) {
        if (!INDEX.matcher(token).matches()) {
            throw new IllegalArgumentException("no such element");
        }
        int index = Integer.parseInt(token);
        if (index >= end) {
            throw new IllegalArgumentException("no such element");
        }
        return index;
    }
}
