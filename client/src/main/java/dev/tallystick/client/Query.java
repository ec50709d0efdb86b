package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A path with its query, parameter by parameter. Null parameters are left out. For one thread. */
final class Query {

    private final String path;
    private final StringJoiner parameters = new StringJoiner("&", "?", "").setEmptyValue("");

    Query(String path) {
        this.path = path;
    }

    Query with(String name, @Nullable Object value) {
        if (value != null) {
            parameters.add(encode(name) + "=" + encode(value.toString()));
        }
        return this;
    }

    /** In whole seconds, rounded up. */
    Query withSeconds(String name, Duration time) {
        return with(name, Durations.wholeSeconds(time));
    }

    Request read() {
        return Request.get(path + parameters);
    }

    /** One segment of a path, or one value of a query. */
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
