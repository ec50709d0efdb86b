package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.LogEntry;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which fields of its records a receipt opens. The others stay commitments, and the receipt verifies without them. The ID of the
 * job is always open.
 */
public final class ShownFields {

    public static final ShownFields ALL = new ShownFields(SealRecords.FIELDS);

    private static final String HASHED = "_sha256";

    private final Set<String> names;

    private ShownFields(Set<String> names) {
        this.names = names;
    }

    /**
     * The fields with these names; all of them if there is no name. The name {@code output} also stands for
     * {@code output_sha256}, and {@code error} likewise.
     *
     * @throws IllegalArgumentException if no record has a field of this name
     */
    public static ShownFields of(Collection<String> names) {
        if (names.isEmpty()) {
            return ALL;
        }
        Set<String> shown = new TreeSet<>();
        shown.add(LogEntry.JOB);
        for (String name : names) {
            String field = SealRecords.FIELDS.contains(name) ? name : name + HASHED;
            if (!SealRecords.FIELDS.contains(field)) {
                throw new IllegalArgumentException("no record has a field '" + name + "'; the fields are "
                        + String.join(", ", new TreeSet<>(SealRecords.FIELDS)));
            }
            shown.add(field);
        }
        return new ShownFields(shown);
    }

    Map<String, Json> of(Map<String, Json> record) {
        Map<String, Json> shown = new TreeMap<>(record);
        shown.keySet().retainAll(names);
        return shown;
    }
}
