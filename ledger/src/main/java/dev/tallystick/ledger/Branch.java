package dev.tallystick.ledger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A history that a MERGE added to a document's own.
 *
 * @param name the version of the MERGE; for a nested one, the versions of all MERGEs that lead to it, such as {@code 7/3}
 * @param shared how many of its first transactions belong to the document's own history or to an earlier branch
 */
record Branch(String name, StreamView stream, int shared) {

    /** All branches of a document; each transaction belongs to the first branch that has it. */
    static List<Branch> of(StreamView document) throws IOException {
        List<Branch> found = new ArrayList<>();
        found.add(new Branch("", document, 0));
        addBranches(found.getFirst(), found);
        return List.copyOf(found.subList(1, found.size()));
    }

    /** The document's own history if {@code name} is empty, otherwise the branch of that name. */
    static Optional<StreamView> find(StreamView document, String name) throws IOException {
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

    private static void addBranches(Branch holder, List<Branch> found) throws IOException {
        for (String merge : holder.stream.merges()) {
            StreamView joined = holder.stream
                    .merged(merge)
                    .orElseThrow(() -> new DamagedObjectException(holder.stream.id() + " lacks a merged history"));
            int shared = 0;
            for (Branch earlier : found) {
                shared = Math.max(shared, ChangedStreams.common(earlier.stream, joined));
            }
            Branch branch = new Branch(holder.name.isEmpty() ? merge : holder.name + "/" + merge, joined, shared);
            found.add(branch);
            addBranches(branch, found);
        }
    }
}
