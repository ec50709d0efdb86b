package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * How two commits are related. Visits commits from newest to oldest by their position in the chain of roots, until only
 * commits known to both are left; so the cost grows with the difference, not with the ledger.
 *
 * @param oursOnly commits reachable from ours and not from theirs, children first
 * @param theirsOnly the other way round
 * @param base the newest commit reachable from both; empty if they have nothing in common
 */
public record Ancestry(List<Oid> oursOnly, List<Oid> theirsOnly, List<Oid> base) {

    private static final int OURS = 1;
    private static final int THEIRS = 2;
    private static final int BOTH = OURS | THEIRS;

    /** Foreign commits lie between two positions; {@code above} counts them, so that children come before parents. */
    private record Place(Oid id, Commit commit, long position, int above) {}

    public static Ancestry of(Chain chain, Oid ours, Oid theirs) throws IOException {
        return new Walk(chain).from(ours, theirs);
    }

    private static final class Walk {

        private final Chain chain;
        private final Map<Oid, Integer> colours = new HashMap<>();
        private final Set<Oid> queued = new HashSet<>();
        private final PriorityQueue<Place> open = new PriorityQueue<>(Comparator.comparingLong(Place::position)
                .thenComparingInt(Place::above)
                .reversed());

        Walk(Chain chain) {
            this.chain = chain;
        }

        Ancestry from(Oid ours, Oid theirs) throws IOException {
            List<Oid> oursOnly = new ArrayList<>();
            List<Oid> theirsOnly = new ArrayList<>();
            List<Oid> base = new ArrayList<>();
            visit(ours, OURS);
            visit(theirs, THEIRS);
            while (open.stream().anyMatch(place -> colour(place.id) != BOTH)) {
                Place next = open.remove();
                int colour = colour(next.id);
                if (colour == BOTH && base.isEmpty()) {
                    base.add(next.id);
                }
                if (colour != BOTH) {
                    (colour == OURS ? oursOnly : theirsOnly).add(next.id);
                }
                for (Oid parent : parents(next.commit)) {
                    visit(parent, colour);
                }
            }
            if (base.isEmpty() && !open.isEmpty()) {
                base.add(open.remove().id);
            }
            return new Ancestry(List.copyOf(oursOnly), List.copyOf(theirsOnly), List.copyOf(base));
        }

        private int colour(Oid id) {
            return colours.getOrDefault(id, 0);
        }

        private void visit(Oid id, int colour) throws IOException {
            colours.merge(id, colour, (known, added) -> known | added);
            if (queued.add(id)) {
                open.add(place(id));
            }
        }

        private Place place(Oid id) throws IOException {
            Commit commit = chain.commit(id);
            Commit at = commit;
            int above = 0;
            while (at.root().isEmpty() && at.parent().isPresent()) {
                at = chain.commit(at.parent().get());
                above++;
            }
            long position = at.root().isPresent() ? at.root().get().root().position() : -1;
            return new Place(id, commit, position, above);
        }
    }

    /** Only a foreign commit's first parent counts: nothing vouches for the others. */
    static List<Oid> parents(Commit commit) throws DamagedObjectException {
        return commit.root().isPresent() || commit.parents().isEmpty()
                ? commit.parents()
                : List.of(commit.parents().getFirst());
    }
}
