package dev.tallystick.daemon.local;

import dev.tallystick.core.ProblemCode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request as it came. Header names are in lower case. */
final class LocalRequest {

    private final String method;
    private final String path;
    private final Map<String, String> query;
    private final Map<String, String> headers;
    private final byte[] body;

    LocalRequest(String method, String target, Map<String, String> headers, byte[] body) {
        int mark = target.indexOf('?');
        this.method = method;
        this.path = mark < 0 ? target : target.substring(0, mark);
        this.query = mark < 0 ? Map.of() : query(target.substring(mark + 1));
        this.headers = headers;
        this.body = body;
    }

    private static Map<String, String> query(String text) {
        Map<String, String> parameters = new HashMap<>();
        for (String each : text.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = decoded(equals < 0 ? each : each.substring(0, equals));
            if (parameters.put(name, equals < 0 ? "" : decoded(each.substring(equals + 1))) != null) {
                throw new LocalProblem(ProblemCode.MALFORMED_REQUEST, "the parameter '" + name + "' is there twice");
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new LocalProblem(ProblemCode.MALFORMED_REQUEST, "the query is not encoded as it must be");
        }
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    byte[] body() {
        return body;
    }

    @Nullable
    String header(String name) {
        return headers.get(name);
    }

    /** The parameter, if it is there. */
    @Nullable
    String parameter(String name) {
        return query.get(name);
    }

    /** A token in a query would be kept in logs and shell histories: it is an unknown parameter, like all others. */
    void allowParameters(String... known) {
        Set<String> allowed = Set.of(known);
        for (String name : query.keySet()) {
            if (!allowed.contains(name)) {
                throw new LocalProblem(
                        ProblemCode.UNKNOWN_PARAMETER,
                        "there is no parameter '" + name + "' here" + (known.length == 0 ? "" : "; known are ")
                                + String.join(", ", known));
            }
        }
    }

    long number(String name, long otherwise, long least, long most) {
        String text = query.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below, like a number out of range.
        }
        throw new LocalProblem(
                ProblemCode.MALFORMED_REQUEST, "'" + name + "' must be a number from " + least + " to " + most);
    }
}
