package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A commit, taken apart.
 *
 * @param trailers the {@code Tally-} lines, by name without the prefix; empty if the commit is foreign
 * @param hashed the lines over which the root goes
 */
record SignedCommit(
        String id,
        String tree,
        List<String> parents,
        String payload,
        String signature,
        Map<String, String> trailers,
        String hashed) {

    private static final List<String> ORDER =
            List.of("Version", "Position", "Previous", "Skip", "Leaves", "Merged", "Root", "Skip-Commit");

    private static final Pattern POSITION = Pattern.compile("0|[1-9][0-9]{0,17}");

    static SignedCommit parse(String id, byte[] bytes) throws Unsound {
        String text = new String(bytes, UTF_8);
        int split = text.indexOf("\n\n");
        if (split < 0) {
            throw new Unsound("a commit has no message");
        }
        String tree = "";
        List<String> parents = new ArrayList<>();
        StringBuilder payload = new StringBuilder();
        StringBuilder signature = new StringBuilder();
        boolean signing = false;
        for (String line : text.substring(0, split).split("\n", -1)) {
            signing = line.startsWith("gpgsig ") || (signing && line.startsWith(" "));
            if (signing) {
                signature
                        .append(line.substring(line.startsWith("gpgsig ") ? 7 : 1))
                        .append('\n');
                continue;
            }
            payload.append(line).append('\n');
            tree = line.startsWith("tree ") ? line.substring(5) : tree;
            if (line.startsWith("parent ")) {
                parents.add(line.substring(7));
            }
        }
        boolean ids = Hashes.isHex(tree, 40) && parents.stream().allMatch(parent -> Hashes.isHex(parent, 40));
        if (!ids) {
            throw new Unsound("a commit names what is no object");
        }
        String message = text.substring(split + 2);
        Map<String, String> trailers = new TreeMap<>();
        String hashed = message.contains("\nTally-Root: ") ? readTrailers(message, trailers) : "";
        return new SignedCommit(
                id, tree, List.copyOf(parents), payload + "\n" + message, signature.toString(), trailers, hashed);
    }

    boolean isForeign() {
        return trailers.isEmpty();
    }

    /** Whether it joins two histories: then the second parent is vouched for by the trailer {@code Merged}. */
    boolean isMerge() {
        return trailers.containsKey("Merged");
    }

    /** The parents that count: of a foreign commit the first alone, because nobody vouches for what else it joins. */
    List<String> lineage() {
        return isForeign() && !parents.isEmpty() ? List.of(parents.getFirst()) : parents;
    }

    long position() {
        return Long.parseLong(trailer("Position"));
    }

    String trailer(String name) {
        return trailers.getOrDefault(name, "");
    }

    boolean isSignedBy(String keyLine) {
        return Ed25519Ssh.verifies(keyLine, "git", payload.getBytes(UTF_8), signature);
    }

    private static String readTrailers(String message, Map<String, String> trailers) throws Unsound {
        String block = message.substring(message.lastIndexOf("\n\n") + 2);
        StringBuilder hashed = new StringBuilder();
        int last = -1;
        if (!block.endsWith("\n")) {
            throw new Unsound("the root's lines are cut short");
        }
        for (String line : block.substring(0, block.length() - 1).split("\n", -1)) {
            int colon = line.indexOf(": ");
            boolean shaped = line.startsWith("Tally-") && colon > 0;
            int order = shaped ? ORDER.indexOf(line.substring(6, colon)) : -1;
            if (order <= last) {
                throw new Unsound("the root's lines are not in order");
            }
            last = order;
            trailers.put(ORDER.get(order), line.substring(colon + 2));
            if (order < ORDER.indexOf("Root")) {
                hashed.append(line).append('\n');
            }
        }
        boolean complete =
                trailers.keySet().containsAll(List.of("Version", "Position", "Previous", "Skip", "Leaves", "Root"));
        if (!complete
                || !trailers.getOrDefault("Version", "").equals("1")
                || !POSITION.matcher(trailers.getOrDefault("Position", "")).matches()) {
            throw new Unsound("the root's lines are not complete");
        }
        if (!Hashes.hex(Hashes.sha256(hashed.toString().getBytes(UTF_8))).equals(trailers.get("Root"))) {
            throw new Unsound("the root is not the hash of what it stands for");
        }
        return hashed.toString();
    }
}
