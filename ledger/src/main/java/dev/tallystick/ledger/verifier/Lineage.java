package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/** The commits that lead to one, as far back as they can be read. */
final class Lineage {

    private static final int NONE = -1;

    private final ObjectFiles objects;
    private final Findings findings;

    Lineage(ObjectFiles objects, Findings findings) {
        this.objects = objects;
        this.findings = findings;
    }

    /** Tells the commits whose parents do not matter. */
    private interface Enough {
        boolean test(SignedCommit commit) throws IOException;
    }

    /** All of them, parents first. */
    CommitIds of(String head) throws IOException {
        return of(head, commit -> false);
    }

    /** Those that do not lead to {@code ground} as well, parents first. */
    CommitIds since(SignedCommit ground, String head) throws IOException {
        Past past = new Past(ground);
        CommitIds reached = of(head, commit -> !commit.isForeign() && past.contains(commit));
        CommitIds since = new CommitIds();
        for (int number = 0; number < reached.size(); number++) {
            if (!past.seen.contains(reached.id(number))) {
                since.add(reached.id(number));
            }
        }
        return since;
    }

    /** The commit that bears this root; positions only fall on the way back, so it is not behind a lower one. */
    Optional<SignedCommit> find(String head, long position, String root) throws IOException {
        SignedCommit[] found = new SignedCommit[1];
        of(head, commit -> {
            boolean there = !commit.isForeign() && commit.position() <= position;
            if (there && commit.position() == position && commit.trailer("Root").equals(root)) {
                found[0] = commit;
            }
            return there;
        });
        return Optional.ofNullable(found[0]);
    }

    /** A commit and what leads to it, explored only as far as it is asked about. */
    private final class Past {

        private final Set<String> seen = new HashSet<>();
        private final PriorityQueue<SignedCommit> open = new PriorityQueue<>(
                Comparator.comparingLong(SignedCommit::position).reversed());

        Past(SignedCommit newest) {
            seen.add(newest.id());
            open.add(newest);
        }

        boolean contains(SignedCommit commit) throws IOException {
            while (!open.isEmpty() && open.element().position() >= commit.position()) {
                for (String parent : open.remove().lineage()) {
                    explore(parent);
                }
            }
            return seen.contains(commit.id());
        }

        private void explore(String id) throws IOException {
            String at = id;
            while (!at.isEmpty() && seen.add(at)) {
                Optional<SignedCommit> commit = read(at);
                at = "";
                if (commit.isPresent() && commit.get().isForeign()) {
                    at = commit.get().lineage().stream().findFirst().orElse("");
                } else {
                    commit.ifPresent(open::add);
                }
            }
        }
    }

    private CommitIds of(String head, Enough enough) throws IOException {
        Walk walk = new Walk(enough);
        walk.enter(head);
        while (walk.depth > 0) {
            walk.step();
        }
        return walk.parentsFirst;
    }

    /** Goes down to the oldest commits first, and remembers little of each: a history may be millions of commits deep. */
    private final class Walk {

        private final Enough enough;
        private final CommitIds met = new CommitIds();
        private final CommitIds parentsFirst = new CommitIds();

        /** By number of the commit: the parents that are still to be visited, or none. */
        private int[] first = new int[64];

        private int[] second = new int[64];
        private int[] path = new int[64];
        private int depth;

        Walk(Enough enough) {
            this.enough = enough;
        }

        void step() throws IOException {
            int commit = path[depth - 1];
            int next = first[commit];
            if (next != NONE) {
                first[commit] = second[commit];
                second[commit] = NONE;
                visit(next);
            } else {
                depth--;
                parentsFirst.add(met.id(commit));
            }
        }

        void enter(String id) throws IOException {
            visit(number(id));
        }

        /** Commits that were met and not visited yet have no parents to tell: their first is themselves. */
        private void visit(int commit) throws IOException {
            if (first[commit] != commit) {
                return;
            }
            first[commit] = NONE;
            Optional<SignedCommit> read = read(met.id(commit));
            if (read.isEmpty()) {
                return;
            }
            List<String> parents =
                    enough.test(read.get()) ? List.of() : read.get().lineage();
            int one = parents.isEmpty() ? NONE : number(parents.getFirst());
            int other = parents.size() < 2 ? NONE : number(parents.get(1));
            first[commit] = one;
            second[commit] = other;
            path = depth == path.length ? Arrays.copyOf(path, Math.multiplyExact(depth, 2)) : path;
            path[depth++] = commit;
        }

        private int number(String id) {
            int found = met.find(id);
            if (found >= 0) {
                return found;
            }
            int number = met.add(id);
            if (number == first.length) {
                first = Arrays.copyOf(first, Math.multiplyExact(number, 2));
                second = Arrays.copyOf(second, Math.multiplyExact(number, 2));
            }
            first[number] = number;
            second[number] = NONE;
            return number;
        }
    }

    private Optional<SignedCommit> read(String id) throws IOException {
        try {
            return Optional.of(SignedCommit.parse(id, objects.read(id, "commit")));
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commit " + id, e.detail());
            return Optional.empty();
        }
    }
}
