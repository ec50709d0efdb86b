package dev.tallystick.engine;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** A digest of a worker's result for one attempt; distinguishes a repeat from a different result. */
record Said(UUID digest) {

    static Said output(byte[] output) {
        return of("output", output);
    }

    static Said failure(String reason, boolean forGood) {
        return of(forGood ? "failed for good" : "failed", reason.getBytes(StandardCharsets.UTF_8));
    }

    private static Said of(String kind, byte[] content) {
        return new Said(Guid.hash(kind.getBytes(StandardCharsets.UTF_8), new byte[1], content));
    }
}
