package dev.tallystick.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What transitions of a graph lead to, before any of it is written. Of several dispatches of one activity the last one counts. */
final class GraphEffects {

    final List<GraphDispatch> dispatches = new ArrayList<>();

    /** The joins among them, as they will stand. */
    private final Map<ActivityId, GraphDispatch> joins = new HashMap<>();

    final List<NewJob> children = new ArrayList<>();

    /** Waits that begin, in case their signal is there already. */
    final List<SignalStore.Wait> waits = new ArrayList<>();

    /** What people are asked. */
    final List<TaskStore.Asked> tasks = new ArrayList<>();

    /** What the engine does itself, at once. */
    final List<GraphTransition> inline = new ArrayList<>();

    /** Whether any way was taken. */
    boolean handled;

    /** What the semaphore goes up by. */
    int opened;

    void dispatch(GraphDispatch dispatch) {
        dispatches.add(dispatch);
        if (dispatch.arrived() != null) {
            joins.put(dispatch.activity(), dispatch);
        }
    }

    @Nullable
    GraphDispatch join(ActivityId activity) {
        return joins.get(activity);
    }

    void add(GraphEffects more) {
        more.dispatches.forEach(this::dispatch);
        children.addAll(more.children);
        waits.addAll(more.waits);
        tasks.addAll(more.tasks);
        inline.addAll(more.inline);
    }
}
