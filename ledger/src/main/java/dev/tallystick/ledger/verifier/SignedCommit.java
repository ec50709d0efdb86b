package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A commit, taken apart. */
final class SignedCommit {

    private static final List<String> ORDER =
            List.of("Version", "Position", "Previous", "Skip", "Leaves", "Merged", "Root", "Skip-Commit");

    private static final int MERGED = ORDER.indexOf("Merged");
    private static final int ROOT = ORDER.indexOf("Root");

    private static final Pattern POSITION = Pattern.compile("0|[1-9][0-9]{0,17}");

    private final String id;
    private final String text;

    /** Where the header's last line ends. */
    private final int headerEnd;

    private String tree = "";
    private final List<String> parents = new ArrayList<>();

    /** The {@code Tally-} lines, in their order; null where there is none. */
    private final @Nullable String[] trailers = new String[ORDER.size()];

    private SignedCommit(String id, String text, int headerEnd) {
        this.id = id;
        this.text = text;
        this.headerEnd = headerEnd;
    }

    static SignedCommit parse(String id, byte[] bytes) throws Unsound {
        String text = new String(bytes, UTF_8);
        int split = text.indexOf("\n\n");
        if (split < 0) {
            throw new Unsound("a commit has no message");
        }
        SignedCommit commit = new SignedCommit(id, text, split);
        commit.readHeader();
        String message = text.substring(split + 2);
        if (message.contains("\nTally-Root: ")) {
            commit.readTrailers(message.substring(message.lastIndexOf("\n\n") + 2));
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
        return trailers[ROOT] == null;
    }

    /** Whether it joins two histories: then the second parent is vouched for by the trailer {@code Merged}. */
    boolean isMerge() {
        return trailers[MERGED] != null;
    }

    /** The parents that count: of a foreign commit the first alone, because nobody vouches for what else it joins. */
    List<String> lineage() {
        return isForeign() && parents.size() > 1 ? parents.subList(0, 1) : parents;
    }

    long position() {
        return Long.parseLong(trailer("Position"));
    }

    String trailer(String name) {
        String value = trailers[ORDER.indexOf(name)];
        return value == null ? "" : value;
    }

    boolean isSignedBy(SshKey key) {
        StringBuilder payload = new StringBuilder(text.length());
        StringBuilder signature = new StringBuilder();
        eachLine((begin, end, signing) -> {
            if (signing) {
                int content = begin + (text.charAt(begin) == ' ' ? 1 : "gpgsig ".length());
                signature.append(text, content, end).append('\n');
            } else {
                payload.append(text, begin, end).append('\n');
            }
        });
        payload.append(text, headerEnd + 1, text.length());
        return key.hasSigned("git", payload.toString().getBytes(UTF_8), signature.toString());
    }

    private interface Line {
        void read(int begin, int end, boolean signing);
    }

    private void eachLine(Line line) {
        boolean signing = false;
        for (int begin = 0; begin <= headerEnd; ) {
            int end = text.indexOf('\n', begin);
            signing = text.startsWith("gpgsig ", begin) || (signing && text.charAt(begin) == ' ');
            line.read(begin, end, signing);
            begin = end + 1;
        }
    }

    private void readHeader() throws Unsound {
        eachLine((begin, end, signing) -> {
            if (!signing && text.startsWith("tree ", begin)) {
                tree = text.substring(begin + "tree ".length(), end);
            } else if (!signing && text.startsWith("parent ", begin)) {
                parents.add(text.substring(begin + "parent ".length(), end));
            }
        });
        if (!Hashes.isHex(tree, 40) || !parents.stream().allMatch(parent -> Hashes.isHex(parent, 40))) {
            throw new Unsound("a commit names what is no object");
        }
    }

    private void readTrailers(String block) throws Unsound {
        int hashed = 0;
        int next = 0;
        for (int begin = 0; begin < block.length(); ) {
            int end = block.indexOf('\n', begin);
            if (end < 0) {
                throw new Unsound("the root's lines are cut short");
            }
            while (next < ORDER.size() && !isTrailer(block, begin, ORDER.get(next))) {
                next++;
            }
            if (next == ORDER.size()) {
                throw new Unsound("the root's lines are not in order");
            }
            trailers[next] = block.substring(
                    begin + "Tally-: ".length() + ORDER.get(next).length(), end);
            begin = end + 1;
            hashed = next < ROOT ? begin : hashed;
            next++;
        }
        boolean complete = trailers[ROOT] != null
                && trailer("Version").equals("1")
                && POSITION.matcher(trailer("Position")).matches();
        for (int required = 0; required < MERGED; required++) {
            complete &= trailers[required] != null;
        }
        if (!complete) {
            throw new Unsound("the root's lines are not complete");
        }
        if (!Hashes.hex(Hashes.sha256(block.substring(0, hashed).getBytes(UTF_8)))
                .equals(trailers[ROOT])) {
            throw new Unsound("the root is not the hash of what it stands for");
        }
    }

    private static boolean isTrailer(String block, int begin, String name) {
        return block.startsWith("Tally-", begin)
                && block.startsWith(name, begin + "Tally-".length())
                && block.startsWith(": ", begin + "Tally-".length() + name.length());
    }
}
