package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import dev.tallystick.ledger.verifier.signature.SshKey;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A commit, taken apart as Git does it. A header that Git might read otherwise is refused. */
final class SignedCommit {

    /** These come first, in this order, and nowhere else. */
    private static final List<String> FIRST_HEADERS = List.of("tree ", "parent ", "author ", "committer ");

    private static final String SIGNATURE = "gpgsig ";
    private static final String HASH = "[0-9a-f]{64}";

    /** The message of a commit that bears a root. */
    private static final Pattern ROOTED = Pattern.compile("[^\n]+\n\n"
            + "(?<Hashed>Tally-Version: 1\n"
            + "Tally-Position: (?<Position>0|[1-9][0-9]{0,17})\n"
            + "Tally-Previous: (?<Previous>" + HASH + ")\n"
            + "Tally-Skip: (?<Skip>" + HASH + ")\n"
            + "Tally-Leaves: (?<Leaves>(?:0|[1-9][0-9]{0,8}) " + HASH + ")\n"
            + "(?:Tally-Merged: (?<Merged>" + HASH + ")\n)?)"
            + "Tally-Root: (?<Root>" + HASH + ")\n"
            + "(?:Tally-Skip-Commit: (?<SkipCommit>[0-9a-f]{40})\n)?");

    private final String id;

    /** One character for each byte, so that what is signed is what was stored. */
    private final String text;

    /** Where the header's last line ends. */
    private final int headerEnd;

    /** Where the headers after {@code committer} begin. */
    private int otherHeaders;

    private String tree = "";
    private final List<String> parents = new ArrayList<>();

    /** The root's lines; null if the commit is foreign. */
    private @Nullable Matcher root;

    private SignedCommit(String id, String text, int headerEnd) {
        this.id = id;
        this.text = text;
        this.headerEnd = headerEnd;
    }

    static SignedCommit parse(String id, byte[] bytes) throws Unsound {
        String text = new String(bytes, ISO_8859_1);
        int split = text.indexOf("\n\n");
        if (split < 0) {
            throw new Unsound("a commit has no message");
        }
        SignedCommit commit = new SignedCommit(id, text, split);
        commit.readHeader();
        String message = text.substring(split + 2);
        if (message.contains("\nTally-Root: ")) {
            commit.readRoot(message);
        }
        return commit;
    }

    String id() {
        return id;
    }

    String tree() {
        return tree;
    }

    boolean isForeign() {
        return root == null;
    }

    /** Whether it joins two histories: then the second parent is vouched for by the trailer {@code Merged}. */
    boolean isMerge() {
        return !trailer("Merged").isEmpty();
    }

    /** The parents that count: of a foreign commit only the first, because nothing vouches for the others. */
    List<String> lineage() {
        return isForeign() && parents.size() > 1 ? parents.subList(0, 1) : parents;
    }

    long position() {
        return Long.parseLong(trailer("Position"));
    }

    /** What follows {@code Tally-<name>: }, its hyphens left out, or empty if there is no such line. */
    String trailer(String name) {
        String value = root == null ? null : root.group(name);
        return value == null ? "" : value;
    }

    /** Whether the signature is the only header after {@code committer}, and {@code key} made it. */
    boolean isSignedBy(SshKey key) {
        if (!text.startsWith(SIGNATURE, otherHeaders)) {
            return false;
        }
        String folded = text.substring(otherHeaders + SIGNATURE.length(), headerEnd);
        String signature = folded.replace("\n ", "\n");
        String payload = text.substring(0, otherHeaders) + text.substring(headerEnd + 1);
        return folded.equals(signature.replace("\n", "\n "))
                && key.hasSigned("git", payload.getBytes(ISO_8859_1), signature + "\n");
    }

    private void readHeader() throws Unsound {
        int at = 0;
        tree = object(at, "tree ");
        at = lineAfter(at);
        while (text.startsWith("parent ", at)) {
            parents.add(object(at, "parent "));
            at = lineAfter(at);
        }
        for (String person : List.of("author ", "committer ")) {
            if (!text.startsWith(person, at)) {
                throw new Unsound("a commit's header is not tree, parents, author and committer");
            }
            at = lineAfter(at);
        }
        otherHeaders = at;
        boolean continued = text.startsWith(" ", at);
        for (; at <= headerEnd; at = lineAfter(at)) {
            continued |= isFirstHeader(at);
        }
        int zero = text.indexOf('\0');
        if (continued || (zero >= 0 && zero < headerEnd)) {
            throw new Unsound("a commit has a header that git reads otherwise");
        }
    }

    private boolean isFirstHeader(int at) {
        for (String name : FIRST_HEADERS) {
            if (text.startsWith(name, at)) {
                return true;
            }
        }
        return false;
    }

    private String object(int at, String header) throws Unsound {
        int begin = at + header.length();
        int end = lineAfter(at) - 1;
        if (!text.startsWith(header, at) || !Hashes.isHex(text.substring(begin, end), 40)) {
            throw new Unsound("a commit names what is no object");
        }
        return text.substring(begin, end);
    }

    private int lineAfter(int at) {
        return text.indexOf('\n', at) + 1;
    }

    private void readRoot(String message) throws Unsound {
        Matcher matcher = ROOTED.matcher(message);
        if (!matcher.matches()) {
            throw new Unsound("the root's lines are not in their one form");
        }
        boolean first = matcher.group("Position").equals("0");
        if (first != (matcher.group("SkipCommit") == null)) {
            throw new Unsound("the root's lines say where to skip to in the first commit, or do not in a later one");
        }
        byte[] hashed = matcher.group("Hashed").getBytes(ISO_8859_1);
        if (!Hashes.hex(Hashes.sha256(hashed)).equals(matcher.group("Root"))) {
            throw new Unsound("the root is not the hash of what it stands for");
        }
        root = matcher;
    }
}
