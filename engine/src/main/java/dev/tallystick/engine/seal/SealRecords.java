package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The records that entries commit to, field by field. Everything that says more than a job's ID and times is a hash. */
final class SealRecords {

    /** Digit rows beyond this are not in the record; their root still is. */
    static final int MOST_INLINE = 16 * 1024;

    /** The names of all fields that a record may have. */
    static final Set<String> FIELDS = Set.of(
            "job",
            "mesh",
            "workflow",
            "version",
            "accepted_at",
            "key",
            "member",
            "fingerprint",
            "origin",
            "closed_at",
            "outcome",
            "output_sha256",
            "error_sha256",
            "digits_root",
            "digits_count",
            "digits");

    private static final String ORIGIN = "\"origin\":\"";
    private static final int UUID_LENGTH = 36;

    private SealRecords() {}

    static Map<String, Json> accepted(FactStore.Accepted fact) {
        Map<String, Json> record = new TreeMap<>();
        record.put("job", Json.of(fact.job().toString()));
        record.put("mesh", Json.of(fact.mesh()));
        record.put("workflow", Json.of(fact.workflow()));
        record.put("version", Json.of(fact.version()));
        record.put("accepted_at", Json.of(fact.at().toString()));
        if (fact.key() != null && fact.member() != null) {
            record.put("key", Json.of(fact.key()));
            record.put("member", Json.of(fact.member()));
        }
        byte[] fingerprint = fact.fingerprint();
        if (fingerprint != null) {
            record.put("fingerprint", Json.of(HexFormat.of().formatHex(fingerprint)));
        }
        if (fact.origin() != null) {
            record.put("origin", Json.of(fact.origin().toString()));
        }
        return record;
    }

    /** The job that an accepted job comes from, as its record says; null for none. */
    static @Nullable UUID origin(byte @Nullable [] acceptedRecord) {
        if (acceptedRecord == null) {
            return null;
        }
        // Quotes inside a value are escaped, so canonical JSON has this text only as a member; most records lack it.
        String text = new String(acceptedRecord, StandardCharsets.UTF_8);
        int at = text.indexOf(ORIGIN);
        return at < 0
                ? null
                : UUID.fromString(text.substring(at + ORIGIN.length(), at + ORIGIN.length() + UUID_LENGTH));
    }

    static Map<String, Json> closed(FactStore.Closed fact, List<FactStore.Digits> digits) {
        List<String> rows = rows(digits);
        Map<String, Json> record = new TreeMap<>();
        record.put("job", Json.of(fact.job().toString()));
        record.put("workflow", Json.of(fact.workflow()));
        record.put("version", Json.of(fact.version()));
        record.put("accepted_at", Json.of(fact.acceptedAt().toString()));
        record.put("closed_at", Json.of(fact.closedAt().toString()));
        record.put("outcome", Json.of(fact.outcome()));
        putHash(record, "output_sha256", fact.output());
        putHash(record, "error_sha256", fact.error() == null ? null : bytes(fact.error()));
        record.put("digits_root", Json.of(root(rows).base64()));
        record.put("digits_count", Json.of(rows.size()));
        if (rows.stream().mapToInt(String::length).sum() <= MOST_INLINE) {
            record.put(
                    "digits",
                    new Json.ArrayValue(rows.stream().<Json>map(Json::of).toList()));
        }
        return record;
    }

    /** The root of the tree whose leaves are the rows. */
    static Hash root(List<String> rows) {
        return MerkleProofs.root(rows.stream().map(SealRecords::bytes).toList());
    }

    /** One line for each activity and each transition: its place, its name and its 15 digits. */
    private static List<String> rows(List<FactStore.Digits> digits) {
        List<String> rows = new ArrayList<>(digits.size());
        for (FactStore.Digits each : digits) {
            String number = "%015d".formatted(each.ledger());
            List<String> columns = each.guid() == null
                    ? List.of("activity", each.path(), each.name(), number)
                    : List.of("guid", each.guid().toString(), each.path(), each.name(), number);
            rows.add(new Json.ArrayValue(columns.stream().<Json>map(Json::of).toList()).canonical());
        }
        rows.sort(Comparator.naturalOrder());
        return rows;
    }

    private static void putHash(Map<String, Json> record, String field, byte @Nullable [] value) {
        if (value != null) {
            record.put(field, Json.of(Hash.sha256(value).hex()));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
