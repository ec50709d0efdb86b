package dev.tallystick.ledger.verifier;

import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Applies patches by changing a document in place: another way than the writer's, to the same end. */
final class Replay {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Replay() {}

    static boolean leadsTo(String snapshot, List<String> patches, String result) {
        try {
            ObjectNode holder = MAPPER.createObjectNode();
            holder.set("document", MAPPER.readTree(snapshot));
            for (String patch : patches) {
                for (JsonNode operation : MAPPER.readTree(patch)) {
                    apply(holder, operation);
                }
            }
            return holder.get("document").equals(MAPPER.readTree(result));
        } catch (JacksonException | IllegalArgumentException e) {
            return false;
        }
    }

    private static void apply(ObjectNode holder, JsonNode operation) {
        String path = "/document" + operation.get("path").asString();
        switch (operation.get("op").asString()) {
            case "add" -> add(holder, path, operation.get("value"));
            case "remove" -> remove(holder, path);
            case "replace" -> {
                JsonNode value = operation.get("value");
                if (path.equals("/document")) {
                    holder.set("document", value);
                } else {
                    replace(holder, path, value);
                }
            }
            case "move" ->
                add(
                        holder,
                        path,
                        remove(holder, "/document" + operation.get("from").asString()));
            case "copy" ->
                add(
                        holder,
                        path,
                        at(holder, "/document" + operation.get("from").asString())
                                .deepCopy());
            case "test" -> {
                if (!at(holder, path).equals(operation.get("value"))) {
                    throw new IllegalArgumentException("a test fails");
                }
            }
            default -> throw new IllegalArgumentException("no such operation");
        }
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

    private static JsonNode remove(ObjectNode holder, String path) {
        JsonNode removed = at(holder, path);
        switch (at(holder, parent(path))) {
            case ArrayNode array -> array.remove(index(last(path), array.size()));
            case ObjectNode object -> object.remove(last(path));
            default -> throw new IllegalArgumentException("nothing can be removed here");
        }
        return removed;
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
        int index = Integer.parseInt(token);
        if (index < 0 || index >= end) {
            throw new IllegalArgumentException("no such element");
        }
        return index;
    }
}
