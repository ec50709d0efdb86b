package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * An issue to record.
 *
 * @param message the bytes that raised it; null if no message did
 */
public record Issue(
        IssueKind kind,
        Participant producer,
        Participant consumer,
        MessageId id,
        byte @Nullable [] message,
        String detail) {

    private static final int MAX_DETAIL = 2_000;
    private static final byte[] NONE = new byte[32];

    public Issue {
        detail = detail.replace('\0', ' ');
        detail = detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail;
    }

    /** An issue that no message raised. */
    public static Issue found(IssueKind kind, Participant producer, Participant consumer, MessageId id, String detail) {
        return new Issue(kind, producer, consumer, id, null, detail);
    }

    public static Issue of(IssueKind kind, PostingRef ref, byte @Nullable [] message, String detail) {
        return new Issue(kind, ref.producer(), ref.consumer(), ref.id(), message, detail);
    }

    /** Unverified messages cost their sender nothing, so only the newest of them is kept. */
    byte[] evidence() {
        return message == null || kind == IssueKind.UNVERIFIED ? NONE : sha256(message);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
