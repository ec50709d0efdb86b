package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.PartnerRequest;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.TaskStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Planned effects of a graph's transitions, not written yet. Of several dispatches of one activity the last one counts. */
final class PlannedEffects {

    final List<NodeEntry> dispatches = new ArrayList<>();

    /** The joins among the dispatches, in their latest state. */
    private final Map<ActivityId, NodeEntry> joins = new HashMap<>();

    final List<NewJob> children = new ArrayList<>();

    /** Waits that begin; their signals may have arrived already. */
    final List<SignalStore.Wait> waits = new ArrayList<>();

    final List<TaskStore.Asked> tasks = new ArrayList<>();

    final List<PartnerWait> requests = new ArrayList<>();

    /** Transitions that the engine does itself, immediately. */
    final List<NodeTransition> inline = new ArrayList<>();

    /** A request to a participant, and the posting that its result answers. */
    record PartnerWait(Lease posting, PartnerRequest request) {}

    /** Whether any transition was taken. */
    boolean handled;

    /** How much the semaphore goes up. */
    int opened;

    void dispatch(NodeEntry dispatch) {
        dispatches.add(dispatch);
        if (dispatch.arrived() != null) {
            joins.put(dispatch.activity(), dispatch);
        }
    }

    @Nullable
    NodeEntry join(ActivityId activity) {
        return joins.get(activity);
    }

    void add(PlannedEffects more) {
        more.dispatches.forEach(this::dispatch);
        children.addAll(more.children);
        waits.addAll(more.waits);
        tasks.addAll(more.tasks);
        requests.addAll(more.requests);
        inline.addAll(more.inline);
    }
}
