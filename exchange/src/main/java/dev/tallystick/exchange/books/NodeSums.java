package dev.tallystick.exchange.books;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one level while the postings are read, in whatever order: the hash of a node is the sum of the hashes of its
 * postings, so they need not be sorted. Sums find the differences of honest books; what a partner denies, evidence settles.
 * For one thread at a time.
 */
final class NodeSums {

    private static final int LONGS = 4;

    private final MessageDigest sha256 = sha256();
    private final int bytes;
    private final Map<Integer, Map<Integer, long[]>> days = new HashMap<>();

    /** @param bytes how many bytes name a node: one on the first level, two on the second */
    NodeSums(int bytes) {
        this.bytes = bytes;
    }

    /** What the hash of a posting covers, and the day of its inception since 1970. */
    record Leaf(int day, String id, byte[] fingerprint, String processing, byte @Nullable [] outcomeDigest) {}

    boolean addAll(List<Leaf> leaves) {
        leaves.forEach(this::add);
        return !leaves.isEmpty();
    }

    private void add(Leaf leaf) {
        byte[] place = sha256.digest(leaf.id().getBytes(UTF_8));
        sha256.update(place);
        sha256.update(leaf.fingerprint());
        sha256.update(leaf.processing().getBytes(UTF_8));
        byte[] outcomeDigest = leaf.outcomeDigest();
        if (outcomeDigest != null) {
            sha256.update(outcomeDigest);
        }
        ByteBuffer hash = ByteBuffer.wrap(sha256.digest());
        int node = bytes == 1 ? place[0] & 0xff : ByteBuffer.wrap(place).getShort() & 0xffff;
        long[] sum = days.computeIfAbsent(leaf.day(), first -> new HashMap<>())
                .computeIfAbsent(node, first -> new long[LONGS]);
        for (int i = 0; i < LONGS; i++) {
            sum[i] += hash.getLong();
        }
    }

    /** By period, and by the bytes of the node in hex. */
    Map<Period, Map<String, String>> nodes() {
        Map<Period, Map<String, String>> nodes = new TreeMap<>();
        days.forEach((day, sums) -> {
            Map<String, String> ofDay = new TreeMap<>();
            sums.forEach((node, sum) -> ofDay.put(HexFormat.of().toHexDigits(node, 2 * bytes), hex(sum)));
            nodes.put(Period.ofEpochDay(day), ofDay);
        });
        return nodes;
    }

    private static String hex(long[] sum) {
        ByteBuffer hash = ByteBuffer.allocate(LONGS * Long.BYTES);
        for (long each : sum) {
            hash.putLong(each);
        }
        return HexFormat.of().formatHex(hash.array());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
