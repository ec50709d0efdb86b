package dev.tallystick.log.entry;

import dev.tallystick.core.Json;
import dev.tallystick.log.tree.Hash;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reads the members of a JSON object, each once, and refuses what no reader asked for. Every refusal is an
 * {@link IllegalArgumentException} that names the member.
 */
public final class JsonFields {

    private final String what;
    private final Map<String, Json> left;

    private JsonFields(String what, Map<String, Json> members) {
        this.what = what;
        this.left = new TreeMap<>(members);
    }

    /**
     * Reads an object.
     *
     * @param what the name of the object in refusals, such as "a receipt"
     */
    public static JsonFields of(String what, Json json) {
        if (json instanceof Json.ObjectValue object) {
            return new JsonFields(what, object.members());
        }
        throw new IllegalArgumentException(what + " must be a JSON object");
    }

    public Optional<Json> find(String name) {
        return Optional.ofNullable(left.remove(name));
    }

    public Json value(String name) {
        return find(name).orElseThrow(() -> refused(name, "is missing"));
    }

    public String text(String name) {
        return findText(name).orElseThrow(() -> refused(name, "is missing"));
    }

    public Optional<String> findText(String name) {
        return find(name).map(json -> {
            if (json instanceof Json.StringValue string) {
                return string.value();
            }
            throw refused(name, "must be a string");
        });
    }

    /** A whole number, not negative. */
    public long number(String name) {
        return findNumber(name).orElseThrow(() -> refused(name, "is missing"));
    }

    public Optional<Long> findNumber(String name) {
        return find(name).map(json -> {
            if (json instanceof Json.NumberValue number
                    && number.value() >= 0
                    && number.value() == (long) number.value()) {
                return (long) number.value();
            }
            throw refused(name, "must be a whole number, not negative");
        });
    }

    public Hash hash(String name) {
        return findHash(name).orElseThrow(() -> refused(name, "is missing"));
    }

    public Optional<Hash> findHash(String name) {
        return findText(name).map(text -> hashIn(name, text));
    }

    private Hash hashIn(String name, String text) {
        try {
            return Hash.parse(text);
        } catch (IllegalArgumentException e) {
            throw refused(name, "must be a hash in Base64", e);
        }
    }

    public Instant time(String name) {
        String text = text(name);
        try {
            Instant time = Instant.parse(text);
            if (time.toString().equals(text)) {
                return time;
            }
        } catch (DateTimeException e) {
            throw refused(name, "must be a time in UTC", e);
        }
        throw refused(name, "must be a time in UTC in its usual form");
    }

    public boolean flag(String name) {
        return find(name)
                .map(json -> {
                    if (json instanceof Json.BooleanValue bool) {
                        return bool.value();
                    }
                    throw refused(name, "must be true or false");
                })
                .orElse(false);
    }

    public Map<String, Hash> hashes(String name) {
        Map<String, Hash> hashes = new TreeMap<>();
        find(name).ifPresent(json -> {
            JsonFields fields = of(what + "'s " + name, json);
            for (String each : List.copyOf(fields.left.keySet())) {
                hashes.put(each, fields.hash(each));
            }
        });
        return hashes;
    }

    public List<Json> list(String name, int longest) {
        return find(name)
                .map(json -> {
                    if (json instanceof Json.ArrayValue array
                            && array.elements().size() <= longest) {
                        return new ArrayList<>(array.elements());
                    }
                    throw refused(name, "must be a list of at most " + longest);
                })
                .orElseGet(ArrayList::new);
    }

    public JsonFields object(String name) {
        return of(what + "'s " + name, value(name));
    }

    public Optional<JsonFields> findObject(String name) {
        return find(name).map(json -> of(what + "'s " + name, json));
    }

    /** The members that no one has read yet. */
    public List<String> names() {
        return List.copyOf(left.keySet());
    }

    public void end() {
        if (!left.isEmpty()) {
            throw refused(left.keySet().iterator().next(), "is unknown");
        }
    }

    private IllegalArgumentException refused(String name, String why) {
        return new IllegalArgumentException(message(name, why));
    }

    private IllegalArgumentException refused(String name, String why, RuntimeException cause) {
        return new IllegalArgumentException(message(name, why), cause);
    }

    private String message(String name, String why) {
        String brief = name.length() <= 40 ? name : name.substring(0, 40) + "…";
        return what + ": '" + brief + "' " + why;
    }
}
