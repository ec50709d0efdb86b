package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Two histories of one stream, each with what was joined to it before. */
final class JoinedHistories {

    private final Streams streams;

    JoinedHistories(Streams streams) {
        this.streams = streams;
    }

    /** A version of a stream. */
    record Version(String stream, int number) {}

    /** Whether a stream holds a version of another one, in its own line or in what was joined to it. */
    boolean contains(String whole, Version version) throws IOException, Unsound {
        String file = streams.file(version.stream, version.number).orElse("");
        Set<String> met = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(whole));
        while (!open.isEmpty()) {
            String at = open.pop();
            if (met.add(at)) {
                if (streams.file(at, version.number).filter(file::equals).isPresent()) {
                    return true;
                }
                joined(at).entries().forEach(joined -> open.push(joined.id()));
            }
        }
        return false;
    }

    /** The newest version of one line that the other stream holds; of two with the same number the first stream's. */
    Optional<Version> commonAncestor(String first, String second) throws IOException, Unsound {
        int one = newestHeld(first, second);
        int other = newestHeld(second, first);
        if (one == 0 && other == 0) {
            return Optional.empty();
        }
        return Optional.of(one >= other ? new Version(first, one) : new Version(second, other));
    }

    /** The directories of the histories that were joined to a stream, by the version of the MERGE. */
    Tree joined(String stream) throws IOException, Unsound {
        return streams.tree(streams.tree(stream).id(Streams.MERGED));
    }

    /** What is held is held with all before it. */
    private int newestHeld(String line, String holder) throws IOException, Unsound {
        int low = 0;
        int high = streams.newest(line);
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (contains(holder, new Version(line, middle))) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
