package dev.tallystick.ledger.verifier;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** All commits that lead to one, parents first, as far back as they can be read. */
final class Lineage {

    private final ObjectFiles objects;
    private final Findings findings;
    private final Predicate<SignedCommit> enough;

    /** @param enough tells the commits behind which nothing matters */
    Lineage(ObjectFiles objects, Findings findings, Predicate<SignedCommit> enough) {
        this.objects = objects;
        this.findings = findings;
        this.enough = enough;
    }

    /** A commit whose parents are being visited: {@code visited} of them are done. */
    private static final class Visit {
        private final SignedCommit commit;
        private int visited;

        Visit(SignedCommit commit) {
            this.commit = commit;
        }
    }

    List<SignedCommit> of(String head) throws IOException {
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
        if (!seen.add(id)) {
            return;
        }
        try {
            path.addLast(new Visit(SignedCommit.parse(id, objects.read(id, "commit"))));
        } catch (Unsound e) {
            findings.add(Finding.Kind.OBJECT, "commit " + id, e.detail());
        }
    }
}
