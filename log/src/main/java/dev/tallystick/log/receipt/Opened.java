package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.Commitment;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.tree.Hash;
import java.util.Map;
import java.util.TreeMap;

/** A field of a record that the holder shows, with what opens its commitment. */
public record Opened(Json value, Hash opening) {

    /** Opens the given fields of a record. */
    public static Map<String, Opened> of(JobSalt salt, Map<String, Json> fields) {
        Map<String, Opened> opened = new TreeMap<>();
        fields.forEach((field, value) -> opened.put(field, new Opened(value, salt.opening(field))));
        return opened;
    }

    boolean opens(Hash commitment, String job, String field) {
        return Commitment.of(opening, job, field, value).equals(commitment);
    }

    Json json() {
        return new Json.ObjectValue(Map.of("value", value, "opening", Json.of(opening.base64())));
    }

    static Opened parse(JsonFields fields) {
        Opened opened = new Opened(fields.value("value"), fields.hash("opening"));
        fields.end();
        return opened;
    }
}
