package dev.tallystick.ledger.verifier.document;

import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What two changes of one document come to, and what of it was changed by both. A document that is not there is null. */
public final class MergeRule {

    private final ArrayNode conflicts = JsonNodeFactory.instance.arrayNode();
    private final @Nullable JsonNode result;

    private MergeRule(@Nullable JsonNode base, @Nullable JsonNode first, @Nullable JsonNode second, boolean whole) {
        if (whole) {
            conflict("", base, first, second);
            this.result = first;
        } else {
            this.result = join("", base, first, second);
        }
    }

    /** Joined member by member. */
    public static MergeRule joining(@Nullable JsonNode base, @Nullable JsonNode first, @Nullable JsonNode second) {
        return new MergeRule(base, first, second, false);
    }

    /** The first as it is, where what is joined would not conform to the schema. */
    public static MergeRule keepingFirst(@Nullable JsonNode base, @Nullable JsonNode first, @Nullable JsonNode second) {
        return new MergeRule(base, first, second, true);
    }

    @Nullable
    public JsonNode result() {
        return result;
    }

    public ArrayNode conflicts() {
        return conflicts;
    }

    private @Nullable JsonNode join(
            String path, @Nullable JsonNode base, @Nullable JsonNode first, @Nullable JsonNode second) {
        if (Objects.equals(first, second) || Objects.equals(base, second)) {
            return first;
        }
        if (Objects.equals(base, first)) {
            return second;
        }
        if (first instanceof ObjectNode one && second instanceof ObjectNode other) {
            ObjectNode joined = JsonNodeFactory.instance.objectNode();
            TreeSet<String> names = new TreeSet<>(one.propertyNames());
            names.addAll(other.propertyNames());
            for (String name : names) {
                JsonNode before = base instanceof ObjectNode object ? object.get(name) : null;
                String below = path + "/" + name.replace("~", "~0").replace("/", "~1");
                JsonNode value = join(below, before, one.get(name), other.get(name));
                if (value != null) {
                    joined.set(name, value);
                }
            }
            return joined;
        }
        JsonNode kept = first == null ? second : first;
        conflict(path, base, kept, first == null ? null : second);
        return kept;
    }

    private void conflict(String path, @Nullable JsonNode base, @Nullable JsonNode kept, @Nullable JsonNode dropped) {
        ObjectNode conflict = conflicts.addObject().put("path", path);
        if (base != null) {
            conflict.set("base", base);
        }
        if (kept != null) {
            conflict.set("kept", kept);
        }
        if (dropped != null) {
            conflict.set("dropped", dropped);
        }
    }
}
