package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.run.GraphForkStore.Entry;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Identity;
import dev.tallystick.workflow.JobId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The part of a closed job's record that a fork may keep. Unhandled failures, late results and the event that ended the job are
 * left out and happen again.
 */
final class ForkableRecord implements ReplayedEvents {

    private final JobId job;
    private final Map<Guid, Entry> kept = new LinkedHashMap<>();
    private final Map<Guid, Guid> recalled = new HashMap<>();

    /** The dimensions of the kept entries that are not replayed yet, by the places of their activities. */
    private final Map<String, NavigableSet<Integer>> ahead = new HashMap<>();

    /** The recalled entries, by their GUIDs in the new job. */
    private final Map<Guid, Entry> entries = new HashMap<>();

    private List<NodeTransition> heldBack = List.of();

    /** @param dropped the entries that must happen again */
    ForkableRecord(JobId job, List<Entry> entries, Predicate<Entry> dropped) {
        this.job = job;
        for (Entry entry : entries) {
            Guid guid = entry.guid();
            if (guid != null && isGood(entry) && !dropped.test(entry)) {
                kept.put(guid, entry);
                ahead.computeIfAbsent(entry.place(), key -> new TreeSet<>()).add(entry.ordinal());
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
        entries.put(transition.guid(), entry);
        return Optional.of(new Recalled(told(entry), entry.input()));
    }

    /**
     * Rounds that ran side by side were numbered as they came. If a round never comes because the fork drops what led to it, the
     * ones after it come without it, and the fork is refused.
     */
    @Override
    public List<NodeTransition> inOrder(List<NodeTransition> next) {
        List<NodeTransition> waiting = new ArrayList<>(heldBack);
        waiting.addAll(next);
        waiting.sort(Comparator.comparingInt(this::ordinal));
        List<NodeTransition> now = waiting.stream().filter(this::isNext).toList();
        if (now.isEmpty()) {
            heldBack = List.of();
            return waiting;
        }
        waiting.removeAll(now);
        heldBack = waiting;
        return now;
    }

    @Override
    public List<NodeTransition> heldBack() {
        return heldBack;
    }

    private int ordinal(NodeTransition transition) {
        Entry entry = entries.get(transition.posting().guid());
        return entry == null ? Integer.MAX_VALUE : entry.ordinal();
    }

    private boolean isNext(NodeTransition transition) {
        Entry entry = entries.get(transition.posting().guid());
        if (entry == null) {
            return true;
        }
        NavigableSet<Integer> left = Objects.requireNonNull(ahead.get(entry.place()));
        if (left.first() < entry.ordinal()) {
            return false;
        }
        left.pollFirst();
        return true;
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
