package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A history that a MERGE added to a document's own.
 *
 * @param holder the branch that the MERGE is part of; null if that is the document's own history
 * @param merge the version of the MERGE
 * @param shared its first transactions that are part of the document's own history or of an earlier branch
 */
public record Branch(@Nullable Branch holder, String merge, StreamView stream, int shared) {

    /** A transaction by its number and the id of its file. */
    private record Numbered(int version, Oid file) {}

    /**
     * All branches of a document; each transaction belongs to the first that has it. Merges back and forth join one directory
     * in many places, of which the first counts: their number would double with each.
     */
    public static List<Branch> of(StreamView document) throws IOException {
        List<Branch> found = new ArrayList<>();
        Set<Oid> met = new HashSet<>();
        Set<Numbered> listed = new HashSet<>();
        Deque<Branch> open = new ArrayDeque<>();
        pushMerges(null, document, open);
        while (!open.isEmpty()) {
            Branch next = open.pop();
            if (met.add(next.stream.directory())) {
                Branch branch = new Branch(next.holder, next.merge, next.stream, shared(next.stream, document, listed));
                for (int version = branch.shared + 1; version <= branch.stream.version(); version++) {
                    listed.add(new Numbered(version, branch.stream.file(version)));
                }
                found.add(branch);
                pushMerges(branch, branch.stream, open);
            }
        }
        return List.copyOf(found);
    }

    /** The document's own history if {@code name} is empty, otherwise the branch of that name. */
    public static Optional<StreamView> find(StreamView document, String name) throws IOException {
        Optional<StreamView> found = Optional.of(document);
        if (!name.isEmpty()) {
            for (String merge : name.split("/", -1)) {
                if (found.isPresent()) {
                    found = found.get().merged(merge);
                }
            }
        }
        return found;
    }

    /** The version of the MERGE; for a branch that came along with another, such as {@code 7/3}, each on the way to it. */
    public String name() {
        List<String> merges = new ArrayList<>();
        for (Branch at = this; at != null; at = at.holder) {
            merges.add(at.merge);
        }
        Collections.reverse(merges);
        return String.join("/", merges);
    }

    private static void pushMerges(@Nullable Branch holder, StreamView stream, Deque<Branch> open) throws IOException {
        for (String merge : stream.merges().reversed()) {
            StreamView joined = stream.merged(merge)
                    .orElseThrow(() -> new DamagedObjectException(stream.id() + " lacks what it merged"));
            open.push(new Branch(holder, merge, joined, 0));
        }
    }

    /** How many of a stream's first transactions are known: what is known is known with all before it. */
    private static int shared(StreamView stream, StreamView document, Set<Numbered> listed) throws IOException {
        int low = 0;
        int high = stream.version();
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            Oid file = stream.file(middle);
            boolean own = middle <= document.version() && document.file(middle).equals(file);
            if (own || listed.contains(new Numbered(middle, file))) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
