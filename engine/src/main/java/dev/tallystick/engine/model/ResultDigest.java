package dev.tallystick.engine.model;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** A digest of a worker's result for one attempt; distinguishes a repeat from a different result. */
public record ResultDigest(UUID digest) {

    public static ResultDigest output(byte[] output) {
        return of("output", output);
    }

    public static ResultDigest failure(String reason, boolean forGood) {
        return of(forGood ? "failed for good" : "failed", reason.getBytes(StandardCharsets.UTF_8));
    }

    private static ResultDigest of(String kind, byte[] content) {
        return new ResultDigest(Guid.hash(kind.getBytes(StandardCharsets.UTF_8), new byte[1], content));
    }
}
