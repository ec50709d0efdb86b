package dev.tallystick.exchange.books;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ArrayValue;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.exchange.books.Evidence.Proof;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.partner.KeyRotation;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SignatureCheck;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The evidence for one posting in one file, which anyone can check with the public keys of both participants and nothing else.
 * Either side can export it. It says what was signed, not when.
 *
 * @param orderKey null if the posting was in no order
 * @param result null while there is none
 * @param acknowledgement null while the producer has not recorded the result
 * @param rotations of both participants' keys
 */
public record Bundle(
        PostingRef ref,
        Payload payload,
        @Nullable String orderKey,
        BatchSignature posting,
        @Nullable BatchSignature receipt,
        @Nullable Result result,
        @Nullable BatchSignature acknowledgement,
        List<KeyRotation> rotations) {

    private static final JsonLimits LIMITS = new JsonLimits(3 * MessageFormat.MAX_BYTES, 4);
    private static final int MAX_ROTATIONS = 1_000;

    public Bundle {
        rotations = List.copyOf(rotations);
    }

    /** What the consumer decided. */
    public record Result(ProcessingStatus processing, Payload payload, String reason, BatchSignature signature) {}

    public String toJson() {
        Map<String, Json> members = new HashMap<>();
        members.put("bundle", Json.of("tally-exchange-v1"));
        members.put("n", Json.of(ref.producer().name()));
        members.put("p", Json.of(ref.consumer().name()));
        members.put("id", Json.of(ref.id().value()));
        members.put("checkpoint", Json.of(ref.checkpoint()));
        members.put("payload", base64(payload));
        put(members, "order_key", orderKey);
        members.put("posting", Json.of(posting.text()));
        put(members, "receipt", receipt == null ? null : receipt.text());
        if (result != null) {
            members.put("outcome", Json.of(result.processing().name()));
            members.put("outcome_payload", base64(result.payload()));
            members.put("reason", Json.of(result.reason()));
            members.put("result", Json.of(result.signature().text()));
        }
        put(members, "acknowledgement", acknowledgement == null ? null : acknowledgement.text());
        members.put(
                "rotations",
                new ArrayValue(rotations.stream().map(KeyRotation::toJson).toList()));
        return new ObjectValue(members).canonical();
    }

    private static void put(Map<String, Json> members, String name, @Nullable String value) {
        if (value != null) {
            members.put(name, Json.of(value));
        }
    }

    private static Json base64(Payload payload) {
        return Json.of(Base64.getEncoder().encodeToString(payload.bytes()));
    }

    /**
     * Reads {@link #toJson()}.
     *
     * @throws IllegalArgumentException if it is not a bundle
     */
    public static Bundle parse(String json) {
        if (!(Json.parse(json, LIMITS) instanceof ObjectValue object)
                || !"tally-exchange-v1".equals(text(object, "bundle"))) {
            throw new IllegalArgumentException("not a bundle of the exchange");
        }
        Payload payload = payload(object, "payload");
        String orderKey = text(object, "order_key");
        Fingerprint fingerprint = Statement.fingerprint(payload, orderKey);
        PostingRef ref = new PostingRef(
                new Participant(required(object, "n")),
                new Participant(required(object, "p")),
                new MessageId(required(object, "id")),
                fingerprint,
                required(object, "checkpoint"));
        Result result = text(object, "result") == null
                ? null
                : new Result(
                        ProcessingStatus.valueOf(required(object, "outcome")),
                        payload(object, "outcome_payload"),
                        required(object, "reason"),
                        BatchSignature.parse(required(object, "result")));
        return new Bundle(
                ref,
                payload,
                orderKey,
                BatchSignature.parse(required(object, "posting")),
                signature(object, "receipt"),
                result,
                signature(object, "acknowledgement"),
                rotations(object));
    }

    private static List<KeyRotation> rotations(ObjectValue object) {
        if (!(object.members().get("rotations") instanceof ArrayValue array)
                || array.elements().size() > MAX_ROTATIONS) {
            throw new IllegalArgumentException("'rotations' must be an array of at most " + MAX_ROTATIONS);
        }
        return array.elements().stream().map(KeyRotation::parse).toList();
    }

    private static @Nullable String text(ObjectValue object, String name) {
        return object.members().get(name) instanceof StringValue text ? text.value() : null;
    }

    private static String required(ObjectValue object, String name) {
        String value = text(object, name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' must be a string");
        }
        return value;
    }

    private static Payload payload(ObjectValue object, String name) {
        return Payload.of(Base64.getDecoder().decode(required(object, name)));
    }

    private static @Nullable BatchSignature signature(ObjectValue object, String name) {
        String text = text(object, name);
        return text == null ? null : BatchSignature.parse(text);
    }

    /**
     * Checks every signature.
     *
     * @param producerKey a key of the producer, from a source that the verifier trusts and never from the bundle: its first,
     *     its newest or any in between
     */
    public Evidence verify(PublicKey producerKey, PublicKey consumerKey) {
        Check check = new Check(trusted(ref.producer(), producerKey), trusted(ref.consumer(), consumerKey));
        check.signed(Proof.POSTING, true, Statement.ofPosting(ref), posting);
        check.signed(Proof.RECEIPT, false, Statement.ofReceipt(ref), receipt);
        if (result != null) {
            byte[] statement = Statement.ofResult(
                    ref, result.processing(), Statement.outcomeDigest(result.payload(), result.reason()));
            check.signed(Proof.RESULT, false, statement, result.signature());
            check.signed(Proof.ACKNOWLEDGEMENT, true, Statement.ofAcknowledgement(statement), acknowledgement);
        } else if (acknowledgement != null) {
            check.problems.add(Proof.ACKNOWLEDGEMENT + ": there is no result to acknowledge");
        }
        return new Evidence(check.proven, check.problems);
    }

    /** The keys that rotations connect with this one, in either direction. */
    private Set<PublicKey> trusted(Participant participant, PublicKey key) {
        Set<PublicKey> trusted = new HashSet<>(Set.of(key));
        boolean grew = true;
        while (grew) {
            grew = false;
            for (KeyRotation rotation : rotations) {
                if (rotation.participant().equals(participant)) {
                    grew |= trusted.contains(rotation.previous()) && trusted.add(rotation.next());
                    grew |= trusted.contains(rotation.next()) && trusted.add(rotation.previous());
                }
            }
        }
        return trusted;
    }

    private static final class Check {

        private final Set<PublicKey> producerKeys;
        private final Set<PublicKey> consumerKeys;
        private final SignatureCheck signatures = new SignatureCheck();
        private final List<Proof> proven = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();

        Check(Set<PublicKey> producerKeys, Set<PublicKey> consumerKeys) {
            this.producerKeys = producerKeys;
            this.consumerKeys = consumerKeys;
        }

        void signed(Proof proof, boolean byProducer, byte[] statement, @Nullable BatchSignature signature) {
            if (signature == null) {
                return;
            }
            Set<PublicKey> keys = byProducer ? producerKeys : consumerKeys;
            if (keys.stream().anyMatch(key -> signatures.isGood(key, statement, signature))) {
                proven.add(proof);
            } else {
                problems.add(proof + ": not signed by a key of " + (byProducer ? "n" : "p"));
            }
        }
    }
}
