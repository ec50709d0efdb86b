package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import dev.tallystick.ledger.verifier.signature.SshKey;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Judges a receipt offline, from the file and a root key that the verifier brought along. */
public sealed interface ReceiptCheck {

    /** A member that is there twice would be read one way here and another way elsewhere. */
    JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    Set<String> MEMBERS = Set.of("version", "transaction", "path", "roots", "commit", "keys");

    /** The lines over which a root goes. */
    Pattern ROOT = Pattern.compile("""
        Tally-Version: 1
        Tally-Position: (?:0|[1-9][0-9]{0,17})
        Tally-Previous: (?<previous>[0-9a-f]{64})
        Tally-Skip: (?<skip>[0-9a-f]{64})
        Tally-Leaves: (?<count>0|[1-9][0-9]{0,8}) (?<leaves>[0-9a-f]{64})
        (?:Tally-Merged: (?<merged>[0-9a-f]{64})
        )?\
        """);

    /**
     * The transaction was in the ledger of this root key.
     *
     * @param position of the signed root that vouches for it
     */
    record Proven(String stream, String transaction, String hash, long position) implements ReceiptCheck {}

    record Refused(String reason) implements ReceiptCheck {}

    static ReceiptCheck of(String receipt, String rootKey) {
        return of(receipt, rootKey, "");
    }

    /**
     * Judges a receipt with knowledge of today's signing key. A receipt shows the keys up to the one that signed it, so a
     * thief of a retired key can forge a receipt in which that key is the newest.
     *
     * @param currentKey the key that signs today, or empty if that is not known
     */
    static ReceiptCheck of(String receipt, String rootKey, String currentKey) {
        try {
            return check(MAPPER.readTree(receipt), rootKey, currentKey);
        } catch (Unsound e) {
            return new Refused(e.detail());
        } catch (JacksonException | IllegalArgumentException e) {
            return new Refused("this is not a receipt");
        }
    }

    private static ReceiptCheck check(JsonNode receipt, String rootKey, String currentKey) throws Unsound {
        if (!receipt.path("version").isInt() || receipt.path("version").intValue() != 1) {
            throw new Unsound("this is not a receipt of version 1");
        }
        if (!Set.copyOf(receipt.propertyNames()).equals(MEMBERS)) {
            throw new Unsound("a receipt has the members " + new TreeSet<>(MEMBERS) + " and no others");
        }
        Transaction transaction = Transaction.parse(decode(receipt, "transaction"));
        String root = "";
        JsonNode path = array(receipt, "path");
        String merkle = climb(transaction, path);
        for (JsonNode lines : array(receipt, "roots")) {
            root = next(root, merkle, path, string(lines));
        }
        SignedCommit commit = SignedCommit.parse("", decode(receipt, "commit"));
        if (root.isEmpty() || !commit.trailer("Root").equals(root)) {
            throw new Unsound("the roots do not lead to the signed commit");
        }
        Ring ring = new Ring();
        for (JsonNode key : array(receipt, "keys")) {
            ring.add(Integer.toString(ring.size() + 1), string(key).getBytes(UTF_8));
        }
        if (!ring.root().equals(rootKey)) {
            throw new Unsound("the receipt belongs to a ledger with another root key");
        }
        // The newest key in the receipt must have signed: one that was retired may have leaked, and proves nothing.
        SshKey key = ring.at(commit.position());
        if (key == null || ring.newestFrom() > commit.position() || !commit.isSignedBy(key)) {
            throw new Unsound("the commit is not signed by the newest key");
        }
        if (!currentKey.isEmpty() && !key.line().equals(currentKey)) {
            throw new Unsound("the commit is signed by a key that is not the current one; ask for a new receipt");
        }
        return new Proven(transaction.stream(), transaction.id(), transaction.hash(), commit.position());
    }

    private static String climb(Transaction transaction, JsonNode path) throws Unsound {
        byte[] hash = Hashes.sha256(
                new byte[] {0}, "t".getBytes(UTF_8), HexFormat.of().parseHex(transaction.hash()));
        for (JsonNode step : path) {
            boolean left = step.has("left");
            String hex = string(step.path(left ? "left" : "right"));
            if (step.size() != 1 || !Hashes.isHex(hex, 64)) {
                throw new Unsound("a step of the path is not one hash");
            }
            byte[] sibling = HexFormat.of().parseHex(hex);
            byte[] one = new byte[] {1};
            hash = left ? Hashes.sha256(one, sibling, hash) : Hashes.sha256(one, hash, sibling);
        }
        return Hashes.hex(hash);
    }

    /** The hash of the next root, which must hold the transaction (the first) or name the root before it. */
    private static String next(String before, String merkle, JsonNode path, String lines) throws Unsound {
        Matcher parts = ROOT.matcher(lines);
        if (!parts.matches()) {
            throw new Unsound("a root cannot be read");
        }
        boolean follows = before.isEmpty()
                ? parts.group("leaves").equals(merkle) && isPath(path, Integer.parseInt(parts.group("count")))
                : before.equals(parts.group("previous"))
                        || before.equals(parts.group("skip"))
                        || before.equals(parts.group("merged"));
        if (!follows) {
            throw new Unsound("a root does not hold what it is said to hold");
        }
        return Hashes.hex(Hashes.sha256(lines.getBytes(UTF_8)));
    }

    /** Whether a leaf of a tree with so many leaves has such a path. A last node without a sibling moves up without a step. */
    private static boolean isPath(JsonNode path, int leaves) {
        int levels = leaves < 2 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(leaves - 1);
        int index = 0;
        int steps = path.size();
        for (int level = levels - 1; level >= 0; level--) {
            int nodes = ((leaves - 1) >>> level) + 1;
            index *= 2;
            if (index + 1 < nodes) {
                if (steps == 0) {
                    return false;
                }
                index += path.path(--steps).has("left") ? 1 : 0;
            }
        }
        return leaves > 0 && steps == 0;
    }

    private static byte[] decode(JsonNode receipt, String name) throws Unsound {
        String text = string(receipt.path(name));
        byte[] bytes = Base64.getDecoder().decode(text);
        if (!Base64.getEncoder().encodeToString(bytes).equals(text)) {
            throw new Unsound("the member " + name + " is not in the usual Base64");
        }
        return bytes;
    }

    private static JsonNode array(JsonNode receipt, String name) throws Unsound {
        if (!receipt.path(name).isArray()) {
            throw new Unsound("the member " + name + " is not an array");
        }
        return receipt.path(name);
    }

    private static String string(JsonNode value) throws Unsound {
        if (!value.isString()) {
            throw new Unsound("the receipt has another value where a string belongs");
        }
        return value.stringValue();
    }
}
