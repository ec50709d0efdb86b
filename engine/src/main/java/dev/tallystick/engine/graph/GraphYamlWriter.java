package dev.tallystick.engine.graph;

import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Retry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Writes a {@link Graph} as YAML that {@link GraphYaml} reads back as the same graph. */
final class GraphYamlWriter {

    static String write(Graph graph) {
        Map<String, Object> top = new LinkedHashMap<>();
        top.put("workflow", graph.name());
        top.put("version", graph.version());
        if (graph.limit() != null) {
            top.put("limit", limit(graph.limit()));
        }
        Map<String, Object> nodes = new LinkedHashMap<>();
        graph.places().forEach(place -> nodes.put(place.name(), place(place)));
        top.put("nodes", nodes);
        put(top, "output", graph.output());
        DumpSettings settings =
                DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();
        return new Dump(settings).dumpToString(top);
    }

    private static Map<String, Object> place(PlacedNode place) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", place.node().kind());
        if (place.join()) {
            fields.put("join", "all");
        }
        switch (place.node()) {
            case Node.Trigger trigger -> {}
            case Node.Worker worker -> {
                fields.put(worker.by().word(), worker.worker());
                put(fields, "input", worker.input());
                if (!worker.retry().equals(Retry.DEFAULT)) {
                    fields.put("retry", retry(worker.retry()));
                }
            }
            case Node.Await await -> {
                fields.put("workflow", await.workflow());
                put(fields, "input", await.input());
            }
            case Node.Hook hook -> {
                put(fields, "signal", hook.signal());
                put(fields, "timer", hook.timer());
                if (hook.task() == null) {
                    fields.put("takes", hook.takes());
                } else {
                    fields.put("task", task(hook.task()));
                }
            }
            case Node.Cycle cycle -> fields.put("back", cycle.back());
            case Node.Signal signal -> {
                put(fields, "job", signal.job());
                fields.put("signal", signal.signal());
                put(fields, "payload", signal.payload());
            }
            case Node.Interrupt interrupt -> {
                fields.put("outcome", interrupt.outcome().text());
                put(fields, "reason", interrupt.reason());
            }
        }
        if (!place.next().isEmpty()) {
            fields.put("next", next(place.next()));
        }
        return fields;
    }

    private static Map<String, Object> limit(GraphLimit limit) {
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, "key", limit.key());
        if (limit.hasConcurrency()) {
            fields.put("concurrency", limit.concurrency());
        }
        if (limit.hasRate()) {
            fields.put("rate", limit.starts());
            put(fields, "per", limit.per());
        }
        return fields;
    }

    private static Map<String, Object> task(NodeAsk ask) {
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, "group", ask.group());
        put(fields, "person", ask.person());
        put(fields, "details", ask.details());
        if (!ask.escalations().isEmpty()) {
            List<Object> escalations = new ArrayList<>();
            for (Ask.Escalation escalation : ask.escalations()) {
                Map<String, Object> next = new LinkedHashMap<>();
                put(next, "after", escalation.after());
                put(next, "group", escalation.group());
                escalations.add(next);
            }
            fields.put("escalate", escalations);
        }
        return fields;
    }

    private static Map<String, Object> retry(Retry retry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("attempts", retry.attempts());
        put(fields, "first", retry.first());
        put(fields, "longest", retry.longest());
        fields.put("jitter", retry.jitter());
        put(fields, "timeout", retry.timeout());
        return fields;
    }

    private static List<Object> next(List<PlacedNode.Transition> transitions) {
        List<Object> next = new ArrayList<>();
        for (PlacedNode.Transition transition : transitions) {
            Map<String, Object> way = new LinkedHashMap<>();
            way.put("to", transition.to());
            put(way, "when", transition.when());
            put(way, "on", transition.onFailure() ? "failure" : null);
            next.add(way.size() == 1 ? transition.to() : way);
        }
        return next;
    }

    private static void put(Map<String, Object> fields, String field, @Nullable Object value) {
        if (value != null) {
            fields.put(field, value.toString());
        }
    }

    private GraphYamlWriter() {}
}
