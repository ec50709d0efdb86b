package dev.tallystick.exchange.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Fingerprint;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that signatures cover. Each statement names its kind and contains the hash of the one before it, so that a result
 * proves its receipt and its posting as well. Every field has its length before it. There are no times in statements: a side
 * whose database was restored and which decides the same again makes the same statement.
 */
public final class Statement {

    /** What the producer asks. The content is covered by its fingerprint. */
    public static byte[] ofPosting(PostingRef ref) {
        return new Fields("tally-exchange-posting-v1")
                .add(ref.producer().name())
                .add(ref.consumer().name())
                .add(ref.id().value())
                .add(ref.fingerprint().bytes())
                .add(ref.checkpoint())
                .bytes();
    }

    /** The consumer has recorded the posting. */
    public static byte[] ofReceipt(PostingRef ref) {
        return new Fields("tally-exchange-receipt-v1")
                .add(ref.consumer().name())
                .add(sha256(ofPosting(ref)))
                .bytes();
    }

    /** The consumer has decided the posting. */
    public static byte[] ofResult(PostingRef ref, ProcessingStatus processing, byte[] outcomeDigest) {
        return new Fields("tally-exchange-result-v1")
                .add(sha256(ofReceipt(ref)))
                .add(processing.name())
                .add(outcomeDigest)
                .bytes();
    }

    /** The producer has recorded the result: its countersignature. */
    public static byte[] ofAcknowledgement(byte[] resultStatement) {
        return new Fields("tally-exchange-acknowledgement-v1")
                .add(sha256(resultStatement))
                .bytes();
    }

    /** One side has refused a message of the other, and keeps it as a consistency issue. */
    public static byte[] ofRefusal(PostingRef ref, String issue) {
        return new Fields("tally-exchange-refusal-v1")
                .add(sha256(ofPosting(ref)))
                .add(issue)
                .bytes();
    }

    /** The SHA-256 of what a posting asks. */
    public static Fingerprint fingerprint(Payload payload, @Nullable String orderKey) {
        byte[] content = new Fields("tally-exchange-content-v1")
                .add(payload.sha256())
                .add(orderKey == null ? "" : orderKey)
                .bytes();
        return Fingerprint.of(sha256(content));
    }

    /** The SHA-256 of what a result answers. */
    public static byte[] outcomeDigest(Payload payload, String reason) {
        return sha256(new Fields("tally-exchange-outcome-v1")
                .add(payload.sha256())
                .add(reason)
                .bytes());
    }

    /** How one statement names another. */
    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static final class Fields {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

        Fields(String kind) {
            add(kind);
        }

        Fields add(String text) {
            return add(text.getBytes(UTF_8));
        }

        Fields add(byte[] bytes) {
            out.writeBytes(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            out.writeBytes(bytes);
            return this;
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }

    private Statement() {}
}
