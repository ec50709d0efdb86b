package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.run.GraphForkStore.Entry;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Identity;
import dev.tallystick.workflow.JobId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The part of a closed job's record that a fork may keep. Unhandled failures, late results and the event that ended the job are
 * left out and happen again.
 */
final class ForkableRecord implements ReplayedEvents {

    private final JobId job;
    private final Map<Guid, Entry> kept = new LinkedHashMap<>();
    private final Map<Guid, Guid> recalled = new HashMap<>();

    /** @param dropped the entries that must happen again */
    ForkableRecord(JobId job, List<Entry> entries, Predicate<Entry> dropped) {
        this.job = job;
        for (Entry entry : entries) {
            Guid guid = entry.guid();
            if (guid != null && isGood(entry) && !dropped.test(entry)) {
                kept.put(guid, entry);
            }
        }
    }

    private static boolean isGood(Entry entry) {
        boolean handled = entry.error() == null || entry.output() != null;
        return handled && !entry.ended() && !entry.kind().equals("interrupt");
    }

    @Override
    public Optional<Recalled> recall(Identity transition) {
        Guid guid = transition.in(job);
        Entry entry = kept.get(guid);
        if (entry == null) {
            return Optional.empty();
        }
        recalled.put(guid, transition.guid());
        return Optional.of(new Recalled(told(entry), entry.input()));
    }

    private static NodeEvent told(Entry entry) {
        byte[] signal = entry.signal();
        String error = entry.error();
        return switch (entry.kind()) {
            case "trigger", "cycle" -> new NodeEvent.Due();
            case "hook" -> signal == null ? new NodeEvent.Due() : new NodeEvent.Signal(signal);
            default -> error == null ? new NodeEvent.Output(entry.output()) : new NodeEvent.Failure(error);
        };
    }

    /** The replayed transitions, and their GUIDs in the new job. */
    Map<Guid, Guid> recalled() {
        return recalled;
    }

    /** The entries that may be replayed. */
    Map<Guid, Entry> kept() {
        return kept;
    }
}
