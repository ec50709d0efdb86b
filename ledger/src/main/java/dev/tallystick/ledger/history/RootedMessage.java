package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The message of a commit with a root: a subject for people, then trailers.
 *
 * @param skipCommit null in the first commit; otherwise the commit whose root is {@code root.skip()}; a hint that nothing
 *     proves
 */
record RootedMessage(ChainRoot root, @Nullable Oid skipCommit) {

    private static final String MARK = "\nTally-Root: ";
    private static final String HASH = "([0-9a-f]{64})";
    private static final Pattern MESSAGE = Pattern.compile("[^\n]+\n\n"
            + "Tally-Version: 1\n"
            + "Tally-Position: (0|[1-9][0-9]{0,17})\n"
            + "Tally-Previous: " + HASH + "\n"
            + "Tally-Skip: " + HASH + "\n"
            + "Tally-Leaves: (0|[1-9][0-9]{0,8}) " + HASH + "\n"
            + "(?:Tally-Merged: " + HASH + "\n)?"
            + "Tally-Root: " + HASH + "\n"
            + "(?:Tally-Skip-Commit: ([0-9a-f]{40})\n)?");

    static String text(String subject, ChainRoot root, @Nullable Oid skipCommit) {
        String skip = skipCommit == null ? "" : "Tally-Skip-Commit: " + skipCommit + "\n";
        return subject + "\n\n" + root.lines() + "Tally-Root: " + root.hash() + "\n" + skip;
    }

    static Optional<RootedMessage> parse(String message) throws DamagedObjectException {
        if (!message.contains(MARK)) {
            return Optional.empty();
        }
        Matcher trailers = MESSAGE.matcher(message);
        if (!trailers.matches()) {
            throw new DamagedObjectException("a commit has an unreadable root");
        }
        ChainRoot root = new ChainRoot(
                Long.parseLong(trailers.group(1)),
                trailers.group(2),
                trailers.group(3),
                Integer.parseInt(trailers.group(4)),
                trailers.group(5),
                Optional.ofNullable(trailers.group(6)).orElse(""));
        if (!root.hash().equals(trailers.group(7))) {
            throw new DamagedObjectException("a commit has a root that is not the hash of its contents");
        }
        String skip = trailers.group(8);
        if ((root.position() == 0) != (skip == null)) {
            throw new DamagedObjectException("a root says where it skips to if and only if it is not the first");
        }
        return Optional.of(new RootedMessage(root, skip == null ? null : Oid.parse(skip)));
    }
}
