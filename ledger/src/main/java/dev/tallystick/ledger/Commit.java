package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A commit as Git stores it. Ours have a root and a signature; all others are foreign.
 *
 * @param payload the commit without its signature: the signed bytes
 * @param signature armoured, or empty
 */
record Commit(Oid tree, List<Oid> parents, String message, String payload, String signature) {

    private static final String IDENTITY = "tallystick <tallystick@localhost>";
    private static final String SIGNATURE = "gpgsig ";

    /** The bytes of a new commit, signed. */
    static byte[] bytes(Oid tree, List<Oid> parents, Instant time, String message, SigningKey key) {
        StringBuilder header = new StringBuilder("tree " + tree + "\n");
        parents.forEach(parent -> header.append("parent ").append(parent).append('\n'));
        String who = IDENTITY + " " + time.getEpochSecond() + " +0000\n";
        header.append("author ").append(who).append("committer ").append(who);
        String signature = key.sign(SshSignature.GIT, (header + "\n" + message).getBytes(UTF_8));
        String folded = SIGNATURE + signature.stripTrailing().replace("\n", "\n ") + "\n";
        return (header + folded + "\n" + message).getBytes(UTF_8);
    }

    static Commit parse(byte[] bytes) throws DamagedObjectException {
        String text = new String(bytes, UTF_8);
        int end = text.indexOf("\n\n");
        if (end < 0) {
            throw new DamagedObjectException("a commit has no message");
        }
        Oid tree = null;
        List<Oid> parents = new ArrayList<>();
        StringBuilder payload = new StringBuilder();
        StringBuilder signature = new StringBuilder();
        boolean inSignature = false;
        for (String line : text.substring(0, end).split("\n", -1)) {
            inSignature = line.startsWith(SIGNATURE) || (inSignature && line.startsWith(" "));
            if (inSignature) {
                int from = line.startsWith(SIGNATURE) ? SIGNATURE.length() : 1;
                signature.append(line, from, line.length()).append('\n');
                continue;
            }
            payload.append(line).append('\n');
            if (line.startsWith("tree ")) {
                tree = id(line);
            } else if (line.startsWith("parent ")) {
                parents.add(id(line));
            }
        }
        if (tree == null) {
            throw new DamagedObjectException("a commit has no tree");
        }
        String message = text.substring(end + 2);
        return new Commit(tree, List.copyOf(parents), message, payload + "\n" + message, signature.toString());
    }

    boolean isSignedBy(PublicKey key) {
        return SshSignature.verifies(key, SshSignature.GIT, payload.getBytes(UTF_8), signature);
    }

    Optional<Oid> parent() {
        return parents.isEmpty() ? Optional.empty() : Optional.of(parents.getFirst());
    }

    /** The root in this commit, if the commit is ours. */
    Optional<RootedMessage> root() throws DamagedObjectException {
        return RootedMessage.parse(message);
    }

    private static Oid id(String line) throws DamagedObjectException {
        String hex = line.substring(line.indexOf(' ') + 1);
        if (!Oid.isHex(hex)) {
            throw new DamagedObjectException("a commit names '" + hex + "', which is not an object ID");
        }
        return Oid.parse(hex);
    }
}
