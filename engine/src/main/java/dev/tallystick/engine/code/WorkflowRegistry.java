package dev.tallystick.engine.code;

import dev.tallystick.engine.model.LaneRule;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.WorkflowType;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The code workflows that an engine can run, each version separately. Thread-safe. */
public final class WorkflowRegistry {

    private final Map<String, WorkflowType<?, ?>> byQueue = new ConcurrentHashMap<>();

    /** Whether any workflow has a limit; read whenever a job begins or ends. */
    private volatile boolean hasLimits;

    public void register(WorkflowType<?, ?> type) {
        if (byQueue.putIfAbsent(Queues.of(type.name(), type.version()), type) != null) {
            throw new IllegalArgumentException(
                    "workflow '" + type.name() + "' version " + type.version() + " is registered already");
        }
        if (type.limit() != null) {
            hasLimits = true;
        }
    }

    boolean isEmpty() {
        return byQueue.isEmpty();
    }

    public boolean has(String queue) {
        return byQueue.containsKey(queue);
    }

    @Nullable
    public WorkflowType<?, ?> get(String queue) {
        return byQueue.get(queue);
    }

    public Set<String> queues() {
        return byQueue.keySet();
    }

    public Stream<WorkflowType<?, ?>> all() {
        return byQueue.values().stream();
    }

    @Nullable
    public WorkflowType<?, ?> newest(String workflow) {
        return all().filter(type -> type.name().equals(workflow))
                .max(Comparator.comparingInt(WorkflowType::version))
                .orElse(null);
    }

    public Set<String> names() {
        return all().map(WorkflowType::name).collect(Collectors.toSet());
    }

    public boolean hasLimits() {
        return hasLimits;
    }

    /** The limit of each workflow by name. A removed limit leaves a rule behind, because jobs may remain in its lanes. */
    Map<String, LaneRule> rules() {
        Map<String, LaneRule> rules = new HashMap<>();
        for (String workflow : names()) {
            Limit<?> limit = Objects.requireNonNullElse(
                    Objects.requireNonNull(newest(workflow)).limit(), Limit.overall());
            rules.put(workflow, new LaneRule(workflow, limit.concurrency(), limit.starts(), limit.per()));
        }
        return rules;
    }
}
