package dev.tallystick.server.http;

import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.Paged;
import dev.tallystick.core.api.RecordBinding;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The OpenAPI 3.1 document of a route table. It is fully derived, so it cannot go stale. */
public final class OpenApi {

    private static final Pattern AT_MOST = Pattern.compile("at most (\\d+)$");
    private static final Pattern IF_MISSING = Pattern.compile("(\\d+) if missing");

    private static final List<Json> STATUSES = Stream.of(
                    "open", "completed", "failed", "cancelled", "timed_out", "continued")
            .<Json>map(Json::of)
            .toList();

    private final RouteTable table;
    private final Map<String, Json> schemas = new TreeMap<>();

    private OpenApi(RouteTable table) {
        this.table = table;
    }

    public static Json.ObjectValue of(RouteTable table) {
        return new OpenApi(table).document();
    }

    private Json.ObjectValue document() {
        Map<String, Map<String, Json>> paths = new TreeMap<>();
        for (Route route : table.routes()) {
            paths.computeIfAbsent(route.path().text(), path -> new TreeMap<>())
                    .put(route.method().toLowerCase(Locale.ROOT), operation(route));
        }
        Map<String, Json> written = new TreeMap<>();
        paths.forEach((path, operations) -> written.put(path, new Json.ObjectValue(operations)));
        schemas.put("Problem", problemSchema());
        return object(
                "openapi", Json.of("3.1.0"),
                "info", object("title", Json.of("Tallystick"), "version", Json.of("1")),
                "paths", new Json.ObjectValue(written),
                "components",
                        object(
                                "schemas",
                                new Json.ObjectValue(schemas),
                                "securitySchemes",
                                object("token", object("type", Json.of("http"), "scheme", Json.of("bearer")))));
    }

    private Json operation(Route route) {
        Map<String, Json> operation = new TreeMap<>();
        operation.put("summary", Json.of(route.summary()));
        operation.put("operationId", Json.of(operationId(route)));
        operation.put("parameters", new Json.ArrayValue(parameters(route)));
        operation.put("responses", responses(route));
        if (route.request() != null) {
            operation.put(
                    "requestBody", object("required", Json.of(true), "content", json(reference(route.request()))));
        }
        switch (route.access()) {
            case Access.Everybody everybody -> operation.put("security", new Json.ArrayValue(List.of()));
            case Access.Members members -> secure(operation, members.toString());
            case Access.Operators operators -> secure(operation, operators.toString());
        }
        return new Json.ObjectValue(operation);
    }

    private static void secure(Map<String, Json> operation, String roles) {
        operation.put("security", new Json.ArrayValue(List.of(object("token", new Json.ArrayValue(List.of())))));
        operation.put("x-roles", Json.of(roles));
    }

    private static String operationId(Route route) {
        return (route.method().toLowerCase(Locale.ROOT) + route.path().text()).replaceAll("[^A-Za-z0-9]+", "_");
    }

    private static List<Json> parameters(Route route) {
        List<Json> parameters = new ArrayList<>();
        for (String name : route.path().names()) {
            parameters.add(parameter(name, "path", true, ""));
        }
        route.query().forEach((name, meaning) -> parameters.add(parameter(name, "query", false, meaning)));
        if (route.keyed()) {
            parameters.add(parameter(
                    "Idempotency-Key",
                    "header",
                    true,
                    "new for every request, and the same for its repeats; 1 to 255 printable characters of ASCII,"
                            + " bare or as a quoted string: k and \"k\" are one key"));
        }
        return parameters;
    }

    private static Json parameter(String name, String in, boolean required, String meaning) {
        return object(
                "name", Json.of(name),
                "in", Json.of(in),
                "required", Json.of(required),
                "description", Json.of(meaning),
                "schema", schema(name, meaning));
    }

    /** Numbers have the bounds that their meaning names. */
    private static Json schema(String name, String meaning) {
        Matcher most = AT_MOST.matcher(meaning);
        if (!most.find()) {
            return name.equals("status")
                    ? object("type", Json.of("string"), "enum", new Json.ArrayValue(STATUSES))
                    : object("type", Json.of("string"));
        }
        Map<String, Json> schema = new TreeMap<>();
        schema.put("type", Json.of("integer"));
        schema.put("minimum", Json.of(name.equals(Route.LIMIT) ? 1 : 0));
        schema.put("maximum", Json.of(Long.parseLong(most.group(1))));
        Matcher usual = IF_MISSING.matcher(meaning);
        schema.put("default", Json.of(usual.find() ? Long.parseLong(usual.group(1)) : 0));
        return new Json.ObjectValue(schema);
    }

    private Json responses(Route route) {
        Map<String, Json> responses = new TreeMap<>();
        for (int status : route.statuses()) {
            responses.put(Integer.toString(status), success(route.response()));
        }
        Map<Integer, SequencedSet<String>> problems = new TreeMap<>();
        for (ProblemCode code : problemsOf(route)) {
            problems.computeIfAbsent(code.status(), status -> new LinkedHashSet<>())
                    .add(code.word());
        }
        problems.forEach((status, codes) -> responses.put(
                Integer.toString(status),
                object(
                        "description", Json.of(String.join(", ", codes)),
                        "content",
                                object(
                                        Problem.MEDIA_TYPE,
                                        object("schema", object("$ref", Json.of("#/components/schemas/Problem")))))));
        return new Json.ObjectValue(responses);
    }

    private Json success(@Nullable Class<? extends Record> response) {
        Json mark = object(
                "description", Json.of("on every answer of a server; an empty answer without it is not ours"),
                "schema", object("type", Json.of("string")));
        if (response == null) {
            return object("description", Json.of("done"), "headers", object(Answer.MARK, mark));
        }
        Map<String, Json> success = new TreeMap<>();
        success.put("description", Json.of("done"));
        success.put("content", json(reference(response)));
        if (Paged.class.isAssignableFrom(response)) {
            Json link = object(
                    "description", Json.of("the next page, with rel=\"next\"; missing on the last one"),
                    "schema", object("type", Json.of("string")));
            success.put("headers", object(PageLink.HEADER, link));
        }
        return new Json.ObjectValue(success);
    }

    /** The route's own codes, and those that any request of its kind can get. */
    static SequencedSet<ProblemCode> problemsOf(Route route) {
        SequencedSet<ProblemCode> problems = new LinkedHashSet<>(route.problems());
        problems.add(ProblemCode.MALFORMED_REQUEST);
        problems.add(ProblemCode.UNKNOWN_PARAMETER);
        if (!(route.access() instanceof Access.Everybody)) {
            problems.add(ProblemCode.UNAUTHENTICATED);
            problems.add(ProblemCode.FORBIDDEN);
        }
        if (route.request() != null) {
            problems.add(ProblemCode.MALFORMED_JSON);
            problems.add(ProblemCode.PAYLOAD_TOO_LARGE);
            problems.add(ProblemCode.UNSUPPORTED_MEDIA_TYPE);
            problems.add(ProblemCode.REQUEST_TIMEOUT);
        }
        problems.add(ProblemCode.INTERNAL_ERROR);
        problems.add(ProblemCode.OUTCOME_UNKNOWN);
        problems.add(ProblemCode.BUSY);
        problems.add(ProblemCode.DATABASE_UNAVAILABLE);
        problems.add(ProblemCode.DATABASE_FULL);
        return problems;
    }

    private Json reference(Class<? extends Record> record) {
        RecordBinding binding = RecordBinding.of(record);
        Json schema = binding.schema();
        Json other = schemas.putIfAbsent(binding.name(), schema);
        if (other != null && !other.equals(schema)) {
            throw new IllegalStateException("two records of the API are called " + binding.name());
        }
        return object("$ref", Json.of("#/components/schemas/" + binding.name()));
    }

    private static Json json(Json schema) {
        return object(Answer.JSON, object("schema", schema));
    }

    private static Json problemSchema() {
        Map<String, Json> properties = new TreeMap<>();
        for (String name : List.of("type", "title", "code", "detail")) {
            properties.put(name, object("type", Json.of("string")));
        }
        properties.put("status", object("type", Json.of("integer")));
        return object("type", Json.of("object"), "properties", new Json.ObjectValue(properties));
    }

    private static Json.ObjectValue object(Object... namesAndValues) {
        Map<String, Json> members = new TreeMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put((String) namesAndValues[i], (Json) namesAndValues[i + 1]);
        }
        return new Json.ObjectValue(members);
    }
}
