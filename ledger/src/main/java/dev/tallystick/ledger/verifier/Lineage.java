package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/** The commits that lead to one, as far back as they can be read. */
final class Lineage {

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
    List<SignedCommit> of(String head) throws IOException {
        return of(head, commit -> false);
    }

    /** Those that do not lead to {@code ground} as well, parents first. */
    List<SignedCommit> since(SignedCommit ground, String head) throws IOException {
        Past past = new Past(ground);
        return of(head, commit -> !commit.isForeign() && past.contains(commit)).stream()
                .filter(commit -> !past.seen.contains(commit.id()))
                .toList();
    }

    /** The commit that bears this root; positions only fall on the way back, so it is not behind a lower one. */
    Optional<SignedCommit> find(String head, long position, String root) throws IOException {
        return of(head, commit -> !commit.isForeign() && commit.position() <= position).stream()
                .filter(commit -> !commit.isForeign())
                .filter(commit ->
                        commit.position() == position && commit.trailer("Root").equals(root))
                .findFirst();
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

    /** A commit whose parents are being visited: {@code visited} of them are done. */
    private static final class Visit {
        private final SignedCommit commit;
        private int visited;

        Visit(SignedCommit commit) {
            this.commit = commit;
        }
    }

    private List<SignedCommit> of(String head, Enough enough) throws IOException {
        List<SignedCommit> parentsFirst = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Deque<Visit> path = new ArrayDeque<>();
        enter(head, seen, path);
        while (!path.isEmpty()) {
            Visit visit = path.getLast();
            List<String> parents = enough.test(visit.commit) ? List.of() : visit.commit.lineage();
            if (visit.visited < parents.size()) {
                enter(parents.get(visit.visited++), seen, path);
            } else {
                parentsFirst.add(path.removeLast().commit);
            }
        }
        return parentsFirst;
    }

    private void enter(String id, Set<String> seen, Deque<Visit> path) throws IOException {
        if (seen.add(id)) {
            Optional<SignedCommit> commit = read(id);
            if (commit.isPresent()) {
                path.addLast(new Visit(commit.get()));
            }
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
