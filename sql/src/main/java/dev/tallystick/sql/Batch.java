package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter.Entry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Entries that share a transaction, grouped by primitive, so that each primitive runs its statement once. */
final class Batch {

    private final List<Entry<?, ?>> entries;
    private final boolean isAlone;
    private final boolean isRepeat;
    private final List<Group<?, ?>> groups;

    Batch(List<Entry<?, ?>> entries) {
        this(entries, false, false);
    }

    private Batch(List<Entry<?, ?>> entries, boolean isAlone, boolean isRepeat) {
        this.entries = entries;
        this.isAlone = isAlone;
        this.isRepeat = isRepeat;
        this.groups = groupsOf(entries);
    }

    int size() {
        return entries.size();
    }

    /** The only entry of a single-entry batch. */
    Entry<?, ?> only() {
        return entries.getFirst();
    }

    String name() {
        return groups.getFirst().primitive.name();
    }

    /** For an entry that got no answer in a shared batch: now it waits for its locks. */
    static Batch alone(Entry<?, ?> entry) {
        return new Batch(List.of(entry), true, false);
    }

    /** A single-entry batch, applied as if it were shared. */
    Batch alone() {
        return new Batch(entries, true, isRepeat);
    }

    boolean isAlone() {
        return isAlone;
    }

    /** The same entries, any of which may have been applied before. */
    Batch again() {
        return new Batch(entries, isAlone, true);
    }

    List<Batch> halves() {
        int middle = entries.size() / 2;
        return List.of(
                new Batch(entries.subList(0, middle), false, isRepeat),
                new Batch(entries.subList(middle, entries.size()), false, isRepeat));
    }

    /** The answers of each group, in the order of the groups. They are neither read nor delivered before the commit. */
    List<List<?>> apply(Tx tx) throws SQLException {
        tx.batch();
        if (!isAlone) {
            tx.share();
        }
        if (isRepeat) {
            tx.repeat();
        }
        List<List<?>> answers = new ArrayList<>(groups.size());
        for (Group<?, ?> group : groups) {
            answers.add(group.apply(tx));
        }
        return answers;
    }

    /** Delivers the answers, and returns the entries without one. */
    List<Entry<?, ?>> answer(List<List<?>> answers) {
        List<Entry<?, ?>> unanswered = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            groups.get(i).answer(answers.get(i), unanswered);
        }
        return unanswered;
    }

    void fail(Throwable failure) {
        entries.forEach(entry -> entry.fail(failure));
    }

    private static List<Group<?, ?>> groupsOf(List<Entry<?, ?>> entries) {
        Map<Primitive<?, ?>, Group<?, ?>> groups = new LinkedHashMap<>();
        for (Entry<?, ?> entry : entries) {
            groups.computeIfAbsent(entry.primitive(), Group::new).add(entry);
        }
        return groups.values().stream()
                .sorted(Comparator.comparingInt(group -> group.primitive.rank()))
                .toList();
    }

    private static final class Group<I, O> {

        private final Primitive<I, O> primitive;
        private final List<Entry<I, O>> members = new ArrayList<>();
        private final List<I> items = new ArrayList<>();

        Group(Primitive<I, O> primitive) {
            this.primitive = primitive;
        }

        @SuppressWarnings("unchecked") // an entry joins only the group of its own primitive
        void add(Entry<?, ?> entry) {
            Entry<I, O> member = (Entry<I, O>) entry;
            members.add(member);
            items.add(member.item());
        }

        List<@Nullable O> apply(Tx tx) throws SQLException {
            List<@Nullable O> answers = applied(tx);
            if (answers.size() != items.size()) {
                throw new IllegalStateException(
                        "'" + primitive.name() + "' gave " + answers.size() + " answers to " + items.size() + " items");
            }
            return answers;
        }

        /** Treat an Error like an exception of the item: roll back the transaction and split the batch. */
        private List<@Nullable O> applied(Tx tx) throws SQLException {
            try {
                return primitive.apply(tx, items);
            } catch (Error e) {
                throw new DefiniteFailureException(Reason.REFUSED, "'" + primitive.name() + "' failed: " + e, e);
            }
        }

        @SuppressWarnings("unchecked") // these are the answers that apply() returned
        void answer(List<?> answers, List<Entry<?, ?>> unanswered) {
            for (int i = 0; i < members.size(); i++) {
                O answer = (O) answers.get(i);
                if (answer == null) {
                    unanswered.add(members.get(i));
                } else {
                    members.get(i).answer().complete(answer);
                }
            }
        }
    }
}
