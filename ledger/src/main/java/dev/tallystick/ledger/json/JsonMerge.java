package dev.tallystick.ledger.json;

import dev.tallystick.core.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Merges two changes of one document. A change made by one side only is taken; objects are merged member by member; any other
 * place that both sides changed differently is a conflict: one value is kept and both are recorded, so that nothing is lost
 * without a trace. The kept value is the first side's, except that a value wins over its removal.
 */
public final class JsonMerge {

    /**
     * The result of a merge.
     *
     * @param body the result; null if the document is deleted
     * @param conflicts one object per conflict: {@code path} and, where present, {@code base}, {@code kept} and
     *     {@code dropped}
     */
    public record Result(@Nullable Json body, Json.ArrayValue conflicts) {}

    private final List<Json> conflicts = new ArrayList<>();

    private JsonMerge() {}

    /** Null means that the document is absent. */
    public static Result of(@Nullable Json base, @Nullable Json first, @Nullable Json second) {
        JsonMerge merge = new JsonMerge();
        Json body = merge.join(JsonPointer.ROOT, base, first, second).orElse(null);
        return new Result(body, new Json.ArrayValue(merge.conflicts));
    }

    /** Keeps the first side unchanged and records all of it as a conflict. */
    public static Result keepingFirst(@Nullable Json base, @Nullable Json first, @Nullable Json second) {
        JsonMerge merge = new JsonMerge();
        merge.conflict(JsonPointer.ROOT, base, first, second);
        return new Result(first, new Json.ArrayValue(merge.conflicts));
    }

    private Optional<Json> join(JsonPointer at, @Nullable Json base, @Nullable Json first, @Nullable Json second) {
        if (Objects.equals(first, second) || Objects.equals(base, second)) {
            return Optional.ofNullable(first);
        }
        if (Objects.equals(base, first)) {
            return Optional.ofNullable(second);
        }
        if (first instanceof Json.ObjectValue one && second instanceof Json.ObjectValue other) {
            Map<String, Json> before = base instanceof Json.ObjectValue object ? object.members() : Map.of();
            return Optional.of(members(at, before, one.members(), other.members()));
        }
        Json kept = first == null ? second : first;
        conflict(at, base, kept, first == null ? null : second);
        return Optional.ofNullable(kept);
    }

    private Json members(JsonPointer at, Map<String, Json> base, Map<String, Json> first, Map<String, Json> second) {
        TreeSet<String> names = new TreeSet<>(first.keySet());
        names.addAll(second.keySet());
        Map<String, Json> joined = new TreeMap<>();
        for (String name : names) {
            join(at.child(name), base.get(name), first.get(name), second.get(name))
                    .ifPresent(value -> joined.put(name, value));
        }
        return new Json.ObjectValue(joined);
    }

    private void conflict(JsonPointer at, @Nullable Json base, @Nullable Json kept, @Nullable Json dropped) {
        Map<String, Json> conflict = new TreeMap<>();
        conflict.put("path", Json.of(at.toString()));
        putIfThere(conflict, "base", base);
        putIfThere(conflict, "kept", kept);
        putIfThere(conflict, "dropped", dropped);
        conflicts.add(new Json.ObjectValue(conflict));
    }

    private static void putIfThere(Map<String, Json> conflict, String name, @Nullable Json value) {
        if (value != null) {
            conflict.put(name, value);
        }
    }
}
