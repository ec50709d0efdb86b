package dev.tallystick.ledger.json;

import dev.tallystick.core.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The patch that turns one document into another: member by member; arrays by what lies between common head and tail. */
public final class JsonDiff {

    private final List<Json> operations = new ArrayList<>();

    private JsonDiff() {}

    public static JsonPatch between(Json before, Json after) {
        JsonDiff diff = new JsonDiff();
        diff.compare(JsonPointer.ROOT, before, after);
        if (diff.operations.size() > JsonPatch.MOST_OPERATIONS) {
            diff.operations.clear();
            diff.operation("replace", JsonPointer.ROOT, after);
        }
        return new JsonPatch(new Json.ArrayValue(diff.operations));
    }

    private void compare(JsonPointer at, Json before, Json after) {
        if (before.equals(after)) {
            return;
        }
        if (before instanceof Json.ObjectValue left && after instanceof Json.ObjectValue right) {
            members(at, left.members(), right.members());
        } else if (before instanceof Json.ArrayValue left && after instanceof Json.ArrayValue right) {
            elements(at, left.elements(), right.elements());
        } else {
            operation("replace", at, after);
        }
    }

    private void members(JsonPointer at, Map<String, Json> before, Map<String, Json> after) {
        TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        for (String name : names) {
            Json left = before.get(name);
            Json right = after.get(name);
            if (left == null && right != null) {
                operation("add", at.child(name), right);
            } else if (left != null && right == null) {
                remove(at.child(name));
            } else if (left != null && right != null) {
                compare(at.child(name), left, right);
            }
        }
    }

    private void elements(JsonPointer at, List<Json> before, List<Json> after) {
        int shorter = Math.min(before.size(), after.size());
        int head = 0;
        while (head < shorter && before.get(head).equals(after.get(head))) {
            head++;
        }
        int tail = 0;
        while (tail < shorter - head
                && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
            tail++;
        }
        int common = shorter - tail;
        for (int i = head; i < common; i++) {
            compare(at.child(Integer.toString(i)), before.get(i), after.get(i));
        }
        for (int i = before.size() - tail - 1; i >= common; i--) {
            remove(at.child(Integer.toString(i)));
        }
        for (int i = common; i < after.size() - tail; i++) {
            operation("add", at.child(Integer.toString(i)), after.get(i));
        }
    }

    private void remove(JsonPointer at) {
        operations.add(new Json.ObjectValue(Map.of("op", Json.of("remove"), "path", Json.of(at.toString()))));
    }

    private void operation(String op, JsonPointer at, Json value) {
        operations.add(new Json.ObjectValue(
                new TreeMap<>(Map.of("op", Json.of(op), "path", Json.of(at.toString()), "value", value))));
    }
}
