package dev.tallystick.engine.graph;

import dev.tallystick.engine.model.LaneRule;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.workflow.Limit;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a graph run at once, and how many begin within a time: of all of them, or of those with the same key.
 *
 * <p>A job runs from its trigger until it closes, also while it waits for a signal, a child or a person.
 *
 * @param key a JSONata expression over {@code input} that comes to a text; null if all jobs of the workflow count together
 * @param concurrency how many run at once
 * @param starts how many begin within {@code per}, whichever moment that begins at
 */
public record GraphLimit(@Nullable Expression key, int concurrency, int starts, Duration per) {

    public GraphLimit {
        Limit.check(concurrency, starts, per);
    }

    /** For each key by itself. */
    public static GraphLimit per(String key) {
        return of(Expression.of(key));
    }

    /** For all jobs of the workflow together. */
    public static GraphLimit overall() {
        return of(null);
    }

    static GraphLimit of(@Nullable Expression key) {
        return new GraphLimit(key, Limit.NO_LIMIT, Limit.NO_LIMIT, Duration.ofSeconds(1));
    }

    /** At most so many run at once. */
    public GraphLimit concurrency(int most) {
        return new GraphLimit(key, most, starts, per);
    }

    /** At most so many begin within any {@code period}. */
    public GraphLimit rate(int most, Duration period) {
        return new GraphLimit(key, concurrency, most, period);
    }

    boolean hasConcurrency() {
        return concurrency != Limit.NO_LIMIT;
    }

    boolean hasRate() {
        return starts != Limit.NO_LIMIT;
    }

    /** The key of a job with this input. It is the user's code: to be called where it may take its time. */
    public String keyOf(@Nullable Object input) {
        if (key == null) {
            return "";
        }
        Object found = key.evaluate(Collections.singletonMap(GraphContext.INPUT, input));
        if (!(found instanceof String text)) {
            throw new IllegalArgumentException("'" + key + "' comes to " + (found == null ? "nothing" : "no text")
                    + ": a key is a text, e.g. $string(input.customer)");
        }
        return Limit.checkKey(text);
    }

    /** A job that holds its place while it waits for one of its own workflow might wait for ever. */
    List<String> problems(String workflow, List<PlacedNode> places) {
        return !hasConcurrency()
                ? List.of()
                : places.stream()
                        .map(PlacedNode::node)
                        .filter(node -> node instanceof Node.Await await
                                && await.workflow().equals(workflow))
                        .map(node -> "node '" + node.name()
                                + "' awaits a job of its own workflow, which waits for the place that this one holds:"
                                + " remove 'concurrency' from the limit, or use a cycle")
                        .toList();
    }

    public LaneRule rule(String workflow) {
        return new LaneRule(Queues.ofGraph(workflow), concurrency, starts, per);
    }
}
