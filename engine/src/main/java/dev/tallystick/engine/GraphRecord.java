package dev.tallystick.engine;

import dev.tallystick.engine.GraphForkStore.Entry;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a closed job of a graph has on record, as far as a fork of it may keep that. What failed without being handled, what came
 * too late and what ended the job is done again.
 */
final class GraphRecord implements GraphPast {

    private final JobId job;
    private final Map<Guid, Entry> kept = new LinkedHashMap<>();
    private final Map<Guid, Guid> recalled = new HashMap<>();

    /** @param dropped what is to be done again */
    GraphRecord(JobId job, List<Entry> entries, Predicate<Entry> dropped) {
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

    private static GraphTold told(Entry entry) {
        byte[] signal = entry.signal();
        String error = entry.error();
        return switch (entry.kind()) {
            case "trigger", "cycle" -> new GraphTold.Due();
            case "hook" -> signal == null ? new GraphTold.Due() : new GraphTold.Signal(signal);
            default -> error == null ? new GraphTold.Output(entry.output()) : new GraphTold.Failure(error);
        };
    }

    /** The transitions that were told again, and what they are in the new job. */
    Map<Guid, Guid> recalled() {
        return recalled;
    }

    /** What might have been told again. */
    Map<Guid, Entry> kept() {
        return kept;
    }
}
