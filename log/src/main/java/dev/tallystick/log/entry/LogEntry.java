package dev.tallystick.log.entry;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.Unicode;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.log.tree.Hash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One entry of the log: a type byte and canonical JSON. Commitments are by field; records travel in receipts. */
public sealed interface LogEntry {

    /** The field of an accepted record that the key map binds to the tag: the id of the job. */
    String JOB = "job";

    /** How a job came from another one. */
    enum OriginKind {
        RERUN,
        FORK,
        CONTINUATION,
        CHILD;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Where a job came from, if not, or not only, from a key.
     *
     * @param job the commitment of the field {@code origin}: the id of the other job
     */
    record Origin(OriginKind kind, Hash job) {

        /** The field whose value is the id of the other job. */
        public static final String FIELD = "origin";
    }

    /**
     * A job was accepted. With a tag it is the acceptance of a key; with neither tag nor origin it is keyless.
     *
     * @param secret the index of the entry that commits to the secret of the member; every tag needs one
     * @param expiresAt until when a repeat of the key is the same request
     * @param commitments by field of the accepted record; an entry with a tag commits to {@link #JOB}
     */
    record Accepted(
            @Nullable Hash tag,
            @Nullable Origin origin,
            @Nullable Long secret,
            Instant expiresAt,
            Map<String, Hash> commitments)
            implements LogEntry {

        public static final EntryType TYPE = EntryType.ACCEPTED;

        public Accepted {
            commitments = checked(commitments);
            if (tag != null && (secret == null || !commitments.containsKey(JOB))) {
                throw new IllegalArgumentException(
                        "an accepted entry with a tag names its secret and commits to its job");
            }
            if (secret != null) {
                requireIndex(secret);
            }
        }

        @Override
        public EntryType type() {
            return TYPE;
        }

        @Override
        public Json.ObjectValue json() {
            Map<String, Json> members = new TreeMap<>();
            if (tag == null && origin == null) {
                members.put("keyless", Json.of(true));
            }
            if (tag != null) {
                members.put("tag", Json.of(tag.base64()));
            }
            if (origin != null) {
                members.put(
                        "origin",
                        new Json.ObjectValue(
                                Map.of("kind", Json.of(origin.kind.word()), "job", Json.of(origin.job.base64()))));
            }
            if (secret != null) {
                members.put("secret", Json.of(secret));
            }
            members.put("expires_at", Json.of(expiresAt.toString()));
            members.put("commitments", write(commitments));
            return new Json.ObjectValue(members);
        }
    }

    /**
     * A job was closed.
     *
     * @param accepted the index of its accepted entry; null if the job was accepted before this log began
     */
    record Closed(@Nullable Long accepted, Map<String, Hash> commitments) implements LogEntry {

        public Closed {
            commitments = checked(commitments);
            if (accepted != null) {
                requireIndex(accepted);
            }
        }

        @Override
        public EntryType type() {
            return EntryType.CLOSED;
        }

        @Override
        public Json.ObjectValue json() {
            return afterAcceptance(accepted, commitments);
        }
    }

    /**
     * The salt and the personal data of a job were deleted: the commitments of its entries cannot be opened any more.
     *
     * @param accepted the index of its accepted entry; null if the job was accepted before this log began
     * @param commitments by field of the record of the erasure, which has a salt of its own
     */
    record Erased(@Nullable Long accepted, Map<String, Hash> commitments) implements LogEntry {

        public Erased {
            commitments = checked(commitments);
            if (accepted != null) {
                requireIndex(accepted);
            }
        }

        @Override
        public EntryType type() {
            return EntryType.ERASED;
        }

        @Override
        public Json.ObjectValue json() {
            return afterAcceptance(accepted, commitments);
        }
    }

    /**
     * An operator intervened: redrove, discarded, resolved, cancelled.
     *
     * @param ends what must never work again, as {@link #ended} hashes it; null for an act that ends nothing
     */
    record OperatorAction(@Nullable Hash ends, Map<String, Hash> commitments) implements LogEntry {

        public static final EntryType TYPE = EntryType.OPERATOR_ACTION;

        public OperatorAction {
            commitments = checked(commitments);
        }

        /**
         * The hash of a member or a token that was ended. Those who know the ID can compute it.
         *
         * @param kind {@code member} or {@code token}
         */
        public static Hash ended(String kind, String mesh, String id) {
            return Hash.sha256(
                    "tally-ended-v1".getBytes(StandardCharsets.US_ASCII),
                    HmacSha256.lengthPrefixed(kind),
                    HmacSha256.lengthPrefixed(mesh),
                    HmacSha256.lengthPrefixed(id));
        }

        @Override
        public EntryType type() {
            return TYPE;
        }

        @Override
        public Json.ObjectValue json() {
            Map<String, Json> members = new TreeMap<>();
            if (ends != null) {
                members.put("ends", Json.of(ends.base64()));
            }
            members.put("commitments", write(commitments));
            return new Json.ObjectValue(members);
        }
    }

    /** A document of the exchange with another participant. */
    record ExchangeDocument(Map<String, Hash> commitments) implements LogEntry {

        public ExchangeDocument {
            commitments = checked(commitments);
        }

        @Override
        public EntryType type() {
            return EntryType.EXCHANGE_DOCUMENT;
        }

        @Override
        public Json.ObjectValue json() {
            return new Json.ObjectValue(Map.of("commitments", write(commitments)));
        }
    }

    /** The secret of a member is fixed from here on; {@link MemberSecret} computes both hashes. */
    record SecretCommitted(Hash position, Hash commitment) implements LogEntry {

        public static SecretCommitted of(MemberSecret secret) {
            return new SecretCommitted(secret.position(), secret.commitment());
        }

        @Override
        public EntryType type() {
            return EntryType.MEMBER_SECRET;
        }

        @Override
        public Json.ObjectValue json() {
            return new Json.ObjectValue(
                    Map.of("position", Json.of(position.base64()), "commitment", Json.of(commitment.base64())));
        }
    }

    /**
     * The key map over all entries before this one. It ends every batch: only sizes that end in a head are signed.
     *
     * @param covers its own index
     * @param count how many leaves the map has
     */
    record MapHead(long covers, Hash root, long count) implements LogEntry {

        public MapHead {
            requireIndex(covers);
            requireIndex(count);
        }

        @Override
        public EntryType type() {
            return EntryType.MAP_HEAD;
        }

        @Override
        public Json.ObjectValue json() {
            return new Json.ObjectValue(
                    Map.of("covers", Json.of(covers), "root", Json.of(root.base64()), "count", Json.of(count)));
        }
    }

    /**
     * Another key signs from the next checkpoint on. It stands right before the head of its batch, so that the old key signs
     * no size beyond its own index plus two.
     */
    record KeyRotation(VerifierKey next) implements LogEntry {

        @Override
        public EntryType type() {
            return EntryType.KEY_ROTATION;
        }

        @Override
        public Json.ObjectValue json() {
            return new Json.ObjectValue(Map.of("next", Json.of(next.toString())));
        }
    }

    /**
     * This log follows one that cannot be continued. It is the first entry of its log, and the only one of its type.
     *
     * @param log the root key of the other log, whose name is that log's origin
     * @param checkpoint the newest one of the other log that was known; null if it had none
     * @param reason why an operator began this log
     */
    record Succession(VerifierKey log, @Nullable SignedNote checkpoint, String reason) implements LogEntry {

        public static final int LONGEST_REASON = 200;

        public Succession {
            if (checkpoint != null
                    && !Checkpoint.parse(checkpoint.text()).origin().equals(log.name())) {
                throw new IllegalArgumentException("a succession with a checkpoint of another log than it names");
            }
            if (reason.isBlank() || reason.length() > LONGEST_REASON || !Unicode.isPrintable(reason)) {
                throw new IllegalArgumentException(
                        "the reason of a succession has 1 to " + LONGEST_REASON + " printable characters");
            }
        }

        /** How far the other log was known. */
        public long size() {
            return checkpoint == null ? 0 : Checkpoint.parse(checkpoint.text()).size();
        }

        @Override
        public EntryType type() {
            return EntryType.SUCCESSION;
        }

        @Override
        public Json.ObjectValue json() {
            Map<String, Json> members = new TreeMap<>();
            members.put("log", Json.of(log.toString()));
            if (checkpoint != null) {
                members.put("checkpoint", Json.of(checkpoint.toString()));
            }
            members.put("reason", Json.of(reason));
            return new Json.ObjectValue(members);
        }
    }

    int LONGEST = EntryBundle.LONGEST_ENTRY;
    int MOST_FIELDS = 64;
    Pattern FIELD = Pattern.compile("[a-z][a-z0-9_]{0,62}");

    EntryType type();

    Json.ObjectValue json();

    /** The bytes of the leaf. */
    default byte[] bytes() {
        byte[] json = json().canonicalBytes();
        if (json.length >= LONGEST) {
            throw new IllegalArgumentException("an entry has at most 65,535 bytes, not " + (json.length + 1));
        }
        return ByteBuffer.allocate(1 + json.length).put(type().code()).put(json).array();
    }

    /**
     * Reads an entry.
     *
     * @throws IllegalArgumentException if these are not exactly the bytes of an entry
     */
    static LogEntry parse(byte[] bytes) {
        if (bytes.length < 3 || bytes.length > LONGEST) {
            throw new IllegalArgumentException("an entry has 3 to 65,535 bytes, not " + bytes.length);
        }
        EntryType type = EntryType.of(bytes[0]);
        String what = "an entry of type " + type.words();
        Json json = Json.parse(Arrays.copyOfRange(bytes, 1, bytes.length), new JsonLimits(LONGEST, 4));
        JsonFields fields = JsonFields.of(what, json);
        LogEntry entry = switch (type) {
            case ACCEPTED -> accepted(fields);
            case CLOSED -> new Closed(fields.findNumber("accepted").orElse(null), fields.hashes("commitments"));
            case ERASED -> new Erased(fields.findNumber("accepted").orElse(null), fields.hashes("commitments"));
            case OPERATOR_ACTION ->
                new OperatorAction(fields.findHash("ends").orElse(null), fields.hashes("commitments"));
            case EXCHANGE_DOCUMENT -> new ExchangeDocument(fields.hashes("commitments"));
            case MEMBER_SECRET -> new SecretCommitted(fields.hash("position"), fields.hash("commitment"));
            case MAP_HEAD -> new MapHead(fields.number("covers"), fields.hash("root"), fields.number("count"));
            case KEY_ROTATION -> new KeyRotation(VerifierKey.parse(fields.text("next")));
            case SUCCESSION ->
                new Succession(
                        VerifierKey.parse(fields.text("log")),
                        fields.findText("checkpoint").map(SignedNote::parse).orElse(null),
                        fields.text("reason"));
        };
        fields.end();
        if (!Arrays.equals(entry.bytes(), bytes)) {
            throw new IllegalArgumentException(what + " in other than its canonical form");
        }
        return entry;
    }

    private static Accepted accepted(JsonFields fields) {
        Origin origin = fields.findObject("origin").map(LogEntry::origin).orElse(null);
        fields.flag("keyless");
        return new Accepted(
                fields.findHash("tag").orElse(null),
                origin,
                fields.findNumber("secret").orElse(null),
                fields.time("expires_at"),
                fields.hashes("commitments"));
    }

    private static Origin origin(JsonFields fields) {
        String word = fields.text("kind");
        for (OriginKind kind : OriginKind.values()) {
            if (kind.word().equals(word)) {
                Origin origin = new Origin(kind, fields.hash("job"));
                fields.end();
                return origin;
            }
        }
        throw new IllegalArgumentException("an accepted entry: unknown kind of origin");
    }

    /** What follows the acceptance of a job. */
    private static Json.ObjectValue afterAcceptance(@Nullable Long accepted, Map<String, Hash> commitments) {
        Map<String, Json> members = new TreeMap<>();
        if (accepted != null) {
            members.put("accepted", Json.of(accepted));
        }
        members.put("commitments", write(commitments));
        return new Json.ObjectValue(members);
    }

    private static Json write(Map<String, Hash> commitments) {
        Map<String, Json> members = new TreeMap<>();
        commitments.forEach((field, hash) -> members.put(field, Json.of(hash.base64())));
        return new Json.ObjectValue(members);
    }

    private static Map<String, Hash> checked(Map<String, Hash> commitments) {
        if (commitments.size() > MOST_FIELDS) {
            throw new IllegalArgumentException("an entry commits to at most 64 fields, not " + commitments.size());
        }
        for (String field : commitments.keySet()) {
            if (!FIELD.matcher(field).matches()) {
                throw new IllegalArgumentException(
                        "a field name has 1 to 63 of a-z, 0-9 and _, and begins with a letter");
            }
        }
        return Collections.unmodifiableMap(new TreeMap<>(commitments));
    }

    private static void requireIndex(long number) {
        if (number < 0 || number > Json.NumberValue.LARGEST_EXACT_INTEGER) {
            throw new IllegalArgumentException("an index or count is 0 to 2^53, got " + number);
        }
    }
}
