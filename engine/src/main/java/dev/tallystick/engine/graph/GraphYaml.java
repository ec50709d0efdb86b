package dev.tallystick.engine.graph;

import dev.tallystick.engine.graph.Node.Worker.By;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Graph} from YAML. An invalid file is refused with all of its problems, each with file, line and column and how
 * to fix it.
 */
public final class GraphYaml {

    private static final Set<String> COMMON = Set.of("kind", "join", "next");

    private static final Map<String, Set<String>> FIELDS = Map.of(
            "trigger", Set.of(),
            "worker", Set.of("worker", "topic", "participant", "input", "retry"),
            "await", Set.of("workflow", "input"),
            "hook", Set.of("signal", "timer", "takes", "task"),
            "cycle", Set.of("back"),
            "signal", Set.of("job", "signal", "payload"),
            "interrupt", Set.of("outcome", "reason"));

    private final String file;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, YamlValue> positions = new LinkedHashMap<>();

    private GraphYaml(String file) {
        this.file = file;
    }

    /**
     * Reads a graph.
     *
     * @param file the name of the source in messages
     */
    public static Graph read(String file, String yaml) {
        return new GraphYaml(file).read(yaml);
    }

    /**
     * Writes YAML that reads back as the same graph. It omits the failures that a retry policy treats as final, because they
     * are Java classes.
     */
    public static String write(Graph graph) {
        return GraphYamlWriter.write(graph);
    }

    private Graph read(String yaml) {
        YamlValue.Mapping top = mapping(
                YamlValue.parse(file, yaml), "a graph", Set.of("workflow", "version", "limit", "nodes", "output"));
        String name =
                text(top, "workflow", "name the workflow, e.g. workflow: order").orElse("?");
        int version = number(top, "version").orElse(1);
        Expression output = expression(top, "output").orElse(null);
        GraphLimit limit = limit(top).orElse(null);
        List<PlacedNode> places = new ArrayList<>();
        YamlValue nodes = top.values().get("nodes");
        if (nodes == null) {
            problem(top, "there are no nodes: list them under 'nodes:'");
        } else {
            YamlValue.Mapping declared = mapping(nodes, "nodes", null);
            declared.values().forEach((node, value) -> place(node, value).ifPresent(places::add));
        }
        demandNoProblems(name);
        List<String> found = GraphCheck.problems(name, version, places, limit);
        if (!found.isEmpty()) {
            found.forEach(problem -> problems.add(located(problem)));
            demandNoProblems(name);
        }
        return new Graph(name, version, places, output, limit);
    }

    private void demandNoProblems(String name) {
        if (!problems.isEmpty()) {
            throw new InvalidGraphException(name, problems);
        }
    }

    /** Prefixes the problem, which starts with the node's name, with the node's position. */
    private String located(String problem) {
        for (Map.Entry<String, YamlValue> each : positions.entrySet()) {
            if (problem.startsWith("node '" + each.getKey() + "'")) {
                return each.getValue().position() + ": " + problem;
            }
        }
        return file + ": " + problem;
    }

    private Optional<PlacedNode> place(String name, YamlValue value) {
        positions.put(name, value);
        YamlValue.Mapping fields = mapping(value, "node '" + name + "'", null);
        String kind = text(
                        fields,
                        "kind",
                        "say what it is, one of "
                                + FIELDS.keySet().stream().sorted().toList())
                .orElse("");
        Set<String> known = FIELDS.get(kind);
        if (known == null) {
            if (!kind.isEmpty()) {
                problem(
                        fields.values().getOrDefault("kind", fields),
                        "node '" + name + "': there is no kind '" + kind + "', only "
                                + FIELDS.keySet().stream().sorted().toList());
            }
            return Optional.empty();
        }
        fields.values().forEach((field, at) -> {
            if (!COMMON.contains(field) && !known.contains(field)) {
                problem(
                        at,
                        "node '" + name + "': a " + kind + " has no '" + field + "', only "
                                + Stream.concat(COMMON.stream(), known.stream())
                                        .sorted()
                                        .toList());
            }
        });
        int before = problems.size();
        boolean join =
                text(fields, "join").map(text -> join(name, fields, text)).orElse(false);
        List<PlacedNode.Transition> next = next(name, fields);
        Optional<Node> node = checked(fields, () -> node(name, kind, fields));
        return node.isEmpty() || problems.size() > before
                ? Optional.empty()
                : Optional.of(new PlacedNode(node.get(), join, next));
    }

    private boolean join(String name, YamlValue.Mapping fields, String text) {
        if (!text.equals("all")) {
            problem(fields, "node '" + name + "': join: '" + text + "' is not possible, only join: all");
        }
        return true;
    }

    private Node node(String name, String kind, YamlValue.Mapping fields) {
        return switch (kind) {
            case "trigger" -> new Node.Trigger(name);
            case "worker" -> worker(name, fields);
            case "await" ->
                new Node.Await(
                        name,
                        text(fields, "workflow", "say which workflow to run").orElse("?"),
                        needed(fields, name, "input", "what that workflow gets"));
            case "hook" ->
                new Node.Hook(
                        name,
                        text(fields, "signal").orElse(null),
                        duration(fields, "timer").orElse(null),
                        number(fields, "takes").orElse(1),
                        task(name, fields).orElse(null));
            case "cycle" ->
                new Node.Cycle(
                        name,
                        text(fields, "back", "say which node to go back to").orElse("?"));
            case "signal" ->
                new Node.Signal(
                        name,
                        needed(fields, name, "job", "the id of the job it goes to"),
                        text(fields, "signal", "name the signal").orElse("?"),
                        needed(fields, name, "payload", "what is sent"));
            case "interrupt" ->
                new Node.Interrupt(
                        name,
                        text(fields, "outcome").map(JobOutcome::of).orElse(JobOutcome.FAILED),
                        expression(fields, "reason").orElse(null));
            default -> throw new IllegalStateException(kind);
        };
    }

    private Node worker(String name, YamlValue.Mapping fields) {
        List<By> named = Stream.of(By.values())
                .filter(by -> fields.values().containsKey(by.word()))
                .toList();
        if (named.size() > 1) {
            problem(
                    fields,
                    "node '" + name + "' has a "
                            + named.stream().map(By::word).collect(Collectors.joining(" and a "))
                            + ": keep one of them");
        }
        By by = named.isEmpty() ? By.WORKER : named.getFirst();
        if (by == By.PARTICIPANT && fields.values().containsKey("retry")) {
            problem(
                    fields,
                    "node '" + name + "': a participant has no 'retry': the exchange posts until it has a result");
        }
        return new Node.Worker(
                name,
                by,
                text(fields, by.word()).orElse(name),
                needed(fields, name, "input", "what the worker gets"),
                retry(fields));
    }

    private Optional<NodeAsk> task(String name, YamlValue.Mapping fields) {
        YamlValue value = fields.values().get("task");
        if (value == null) {
            return Optional.empty();
        }
        String what = "the task of node '" + name + "'";
        YamlValue.Mapping task = mapping(value, what, Set.of("group", "person", "details", "escalate"));
        List<Ask.Escalation> escalations = new ArrayList<>();
        switch (task.values().get("escalate")) {
            case null -> {}
            case YamlValue.Listing listing ->
                listing.values().forEach(each -> escalation(what, each).ifPresent(escalations::add));
            case YamlValue single -> escalation(what, single).ifPresent(escalations::add);
        }
        return checked(
                task,
                () -> new NodeAsk(
                        text(task, "group").orElse(null),
                        expression(task, "person").orElse(null),
                        expression(task, "details").orElse(null),
                        escalations));
    }

    private Optional<Ask.Escalation> escalation(String task, YamlValue value) {
        YamlValue.Mapping next = mapping(value, "an escalation of " + task, Set.of("after", "group"));
        Optional<String> group = text(next, "group", "say which group is asked then");
        if (!next.values().containsKey("after")) {
            problem(next, "'after' is missing: say after how long, e.g. after: PT8H");
        }
        Optional<Duration> after = duration(next, "after");
        return after.isEmpty() || group.isEmpty()
                ? Optional.empty()
                : checked(next, () -> new Ask.Escalation(after.get(), group.get()));
    }

    private Optional<GraphLimit> limit(YamlValue.Mapping top) {
        YamlValue value = top.values().get("limit");
        if (value == null) {
            return Optional.empty();
        }
        YamlValue.Mapping fields = mapping(value, "limit", Set.of("key", "concurrency", "rate", "per"));
        Optional<Integer> concurrency = number(fields, "concurrency");
        Optional<Integer> rate = number(fields, "rate");
        Optional<Duration> per = duration(fields, "per");
        if (!fields.values().containsKey("concurrency") && !fields.values().containsKey("rate")) {
            problem(fields, "a limit has a 'concurrency', a 'rate', or both: say how many jobs it lets through");
        }
        if (fields.values().containsKey("rate") != fields.values().containsKey("per")) {
            problem(fields, "a limit has 'rate' and 'per' together, e.g. rate: 100 and per: PT1M");
        }
        return checked(fields, () -> {
            GraphLimit limit = GraphLimit.of(expression(fields, "key").orElse(null));
            GraphLimit most = concurrency.map(limit::concurrency).orElse(limit);
            return rate.isEmpty() || per.isEmpty() ? most : most.rate(rate.get(), per.get());
        });
    }

    private Retry retry(YamlValue.Mapping fields) {
        YamlValue value = fields.values().get("retry");
        if (value == null) {
            return Retry.DEFAULT;
        }
        YamlValue.Mapping retry = mapping(value, "retry", Set.of("attempts", "first", "longest", "jitter", "timeout"));
        Retry standard = Retry.DEFAULT;
        Duration first = duration(retry, "first").orElse(standard.first());
        Duration longest =
                duration(retry, "longest").orElse(first.compareTo(standard.longest()) > 0 ? first : standard.longest());
        double jitter = text(retry, "jitter").map(Double::parseDouble).orElse(standard.jitter());
        Duration timeout = duration(retry, "timeout").orElse(null);
        return new Retry(
                number(retry, "attempts").orElse(standard.attempts()), first, longest, jitter, List.of(), timeout);
    }

    private List<PlacedNode.Transition> next(String name, YamlValue.Mapping fields) {
        YamlValue value = fields.values().get("next");
        List<PlacedNode.Transition> next = new ArrayList<>();
        switch (value) {
            case null -> {}
            case YamlValue.Listing listing ->
                listing.values().forEach(each -> transition(name, each).ifPresent(next::add));
            case YamlValue.Text text -> transition(name, text).ifPresent(next::add);
            case YamlValue.Mapping mapping -> transition(name, mapping).ifPresent(next::add);
        }
        return next;
    }

    private Optional<PlacedNode.Transition> transition(String name, YamlValue value) {
        return switch (value) {
            case YamlValue.Text text -> Optional.of(new PlacedNode.Transition(text.text(), null));
            case YamlValue.Mapping ignored -> {
                YamlValue.Mapping way =
                        mapping(value, "a transition of node '" + name + "'", Set.of("to", "when", "on"));
                Optional<String> to = text(way, "to", "say which node it leads to");
                Expression when = expression(way, "when").orElse(null);
                boolean onFailure = onFailure(name, way);
                yield to.map(target -> new PlacedNode.Transition(target, when, onFailure));
            }
            case YamlValue.Listing listing -> {
                problem(listing, "node '" + name + "': a transition is the name of a node, or {to: …, when: …}");
                yield Optional.empty();
            }
        };
    }

    private boolean onFailure(String name, YamlValue.Mapping way) {
        Optional<String> on = text(way, "on");
        if (on.isPresent() && !on.get().equals("failure")) {
            problem(way, "node '" + name + "': a transition is taken on: failure, or says nothing of it");
        }
        return on.isPresent();
    }

    private Expression needed(YamlValue.Mapping fields, String node, String field, String what) {
        if (!fields.values().containsKey(field)) {
            problem(
                    fields,
                    "node '" + node + "' has no '" + field + "': say " + what + " as a JSONata expression, e.g. "
                            + field + ": input");
        }
        return expression(fields, field).orElseGet(() -> Expression.of("null"));
    }

    private Optional<Expression> expression(YamlValue.Mapping fields, String field) {
        return text(fields, field).flatMap(source -> checked(at(fields, field), () -> Expression.of(source)));
    }

    private Optional<Integer> number(YamlValue.Mapping fields, String field) {
        return text(fields, field).flatMap(text -> {
            try {
                return Optional.of(Integer.parseInt(text));
            } catch (NumberFormatException e) {
                problem(at(fields, field), "'" + field + "' is a whole number, got '" + text + "'");
                return Optional.empty();
            }
        });
    }

    private Optional<Duration> duration(YamlValue.Mapping fields, String field) {
        return text(fields, field).flatMap(text -> {
            try {
                return Optional.of(Duration.parse(text));
            } catch (DateTimeParseException e) {
                problem(
                        at(fields, field),
                        "'" + field + "' is a duration as ISO 8601 writes it (PT0.5S, PT30S, PT5M, PT2H, P1D), got '"
                                + text + "'");
                return Optional.empty();
            }
        });
    }

    private Optional<String> text(YamlValue.Mapping fields, String field, String advice) {
        if (!fields.values().containsKey(field)) {
            problem(fields, "'" + field + "' is missing: " + advice);
        }
        return text(fields, field);
    }

    private Optional<String> text(YamlValue.Mapping fields, String field) {
        return switch (fields.values().get(field)) {
            case null -> Optional.empty();
            case YamlValue.Text text -> Optional.of(text.text());
            case YamlValue value -> {
                problem(value, "'" + field + "' is a plain value: put an expression with braces in quotes");
                yield Optional.empty();
            }
        };
    }

    private YamlValue.Mapping mapping(YamlValue value, String what, @Nullable Set<String> fields) {
        if (!(value instanceof YamlValue.Mapping mapping)) {
            problem(value, what + " is a list of fields with values, each as 'field: value'");
            return new YamlValue.Mapping(value.position(), Map.of());
        }
        mapping.values().forEach((field, at) -> {
            if (fields != null && !fields.contains(field)) {
                problem(
                        at,
                        what + " has no '" + field + "', only "
                                + fields.stream().sorted().toList());
            }
        });
        return mapping;
    }

    private static YamlValue at(YamlValue.Mapping fields, String field) {
        return fields.values().getOrDefault(field, fields);
    }

    private <T> Optional<T> checked(YamlValue at, Supplier<T> value) {
        try {
            return Optional.of(value.get());
        } catch (IllegalArgumentException | ExpressionException e) {
            problem(at, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private void problem(YamlValue at, String text) {
        problems.add(at.position() + ": " + text);
    }
}
