package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.ssh.SshSignature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A commit as Git stores it. Ours have a root and a signature; all others are foreign.
 *
 * @param message one character for each byte, like {@code payload}
 * @param payload the commit without the headers after {@code committer}: the signed bytes, if it is one of ours
 * @param signature armoured, or empty if it is not the only header after {@code committer}
 */
public record Commit(Oid tree, List<Oid> parents, String message, String payload, String signature) {

    private static final String IDENTITY = "tallystick <tallystick@localhost>";
    private static final String SIGNATURE = "gpgsig ";

    /** These come first, in this order, and nowhere else. */
    private static final List<String> FIRST_HEADERS = List.of("tree ", "parent ", "author ", "committer ");

    /** The bytes of a new commit, signed. */
    public static byte[] bytes(Oid tree, List<Oid> parents, Instant time, String message, SigningKey key) {
        StringBuilder header = new StringBuilder("tree " + tree + "\n");
        parents.forEach(parent -> header.append("parent ").append(parent).append('\n'));
        String who = IDENTITY + " " + time.getEpochSecond() + " +0000\n";
        header.append("author ").append(who).append("committer ").append(who);
        String signature = key.sign(SshSignature.GIT, (header + "\n" + message).getBytes(UTF_8));
        String folded = SIGNATURE + signature.stripTrailing().replace("\n", "\n ") + "\n";
        return (header + folded + "\n" + message).getBytes(UTF_8);
    }

    /** Parses a commit as Git does; refuses a header that Git might read otherwise. */
    public static Commit parse(byte[] bytes) throws DamagedObjectException {
        String text = new String(bytes, ISO_8859_1);
        int end = text.indexOf("\n\n");
        if (end < 0 || text.lastIndexOf('\0', end) >= 0) {
            throw new DamagedObjectException("a commit has no message, or a NUL in its header");
        }
        List<String> lines = List.of(text.substring(0, end).split("\n", -1));
        Oid tree = id("tree ", lines.getFirst());
        List<Oid> parents = new ArrayList<>();
        int at = 1;
        for (; at < lines.size() && lines.get(at).startsWith("parent "); at++) {
            parents.add(id("parent ", lines.get(at)));
        }
        List<String> people = lines.subList(at, Math.min(at + 2, lines.size()));
        List<String> others = lines.subList(at + people.size(), lines.size());
        if (people.size() < 2
                || !people.getFirst().startsWith("author ")
                || !people.getLast().startsWith("committer ")
                || (!others.isEmpty() && others.getFirst().startsWith(" "))
                || others.stream().anyMatch(line -> FIRST_HEADERS.stream().anyMatch(line::startsWith))) {
            throw new DamagedObjectException("a commit's header is not tree, parents, author, committer and others");
        }
        String message = text.substring(end + 2);
        String payload = String.join("\n", lines.subList(0, at + 2)) + "\n\n" + message;
        return new Commit(tree, List.copyOf(parents), message, payload, signature(others));
    }

    /** The armoured signature if nothing else is there, or empty. */
    private static String signature(List<String> headers) {
        if (headers.isEmpty() || !headers.getFirst().startsWith(SIGNATURE)) {
            return "";
        }
        StringBuilder signature = new StringBuilder(headers.getFirst().substring(SIGNATURE.length())).append('\n');
        for (String line : headers.subList(1, headers.size())) {
            if (!line.startsWith(" ")) {
                return "";
            }
            signature.append(line, 1, line.length()).append('\n');
        }
        return signature.toString();
    }

    public boolean isSignedBy(PublicKey key) {
        return SshSignature.verifies(key, SshSignature.GIT, payload.getBytes(ISO_8859_1), signature);
    }

    public Optional<Oid> parent() {
        return parents.isEmpty() ? Optional.empty() : Optional.of(parents.getFirst());
    }

    /** The root in this commit, if the commit is ours. */
    public Optional<RootedMessage> root() throws DamagedObjectException {
        return RootedMessage.parse(message);
    }

    private static Oid id(String header, String line) throws DamagedObjectException {
        String hex = line.startsWith(header) ? line.substring(header.length()) : "";
        if (!Oid.isHex(hex)) {
            throw new DamagedObjectException("a commit has '" + line + "' where an object ID belongs");
        }
        return Oid.parse(hex);
    }
}
