package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.core.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The JSON object of a request, member by member. Null members are left out. For one thread. */
final class Body {

    private final Map<String, Json> members = new TreeMap<>();

    Body with(String name, @Nullable Json value) {
        if (value != null) {
            members.put(name, value);
        }
        return this;
    }

    Body with(String name, @Nullable String value) {
        return with(name, value == null ? null : Json.of(value));
    }

    Body with(String name, long value) {
        return with(name, Json.of(value));
    }

    Body with(String name, List<String> values) {
        return with(
                name, new Json.ArrayValue(values.stream().<Json>map(Json::of).toList()));
    }

    /** In whole seconds, rounded up. */
    Body withSeconds(String name, @Nullable Duration time) {
        return time == null ? this : with(name, Durations.wholeSeconds(time));
    }

    Json.ObjectValue json() {
        return new Json.ObjectValue(members);
    }
}
