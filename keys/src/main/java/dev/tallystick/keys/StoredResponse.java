package dev.tallystick.keys;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes from which a repeated request is answered. Only the code that stores them knows their meaning. */
public final class StoredResponse {

    public static final int MAX_BYTES = 1024 * 1024;

    public static final StoredResponse EMPTY = new StoredResponse(new byte[0]);

    private final byte[] bytes;

    private StoredResponse(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a stored response must have at most " + MAX_BYTES + " bytes, got " + bytes.length);
        }
        this.bytes = bytes;
    }

    int size() {
        return bytes.length;
    }

    public static StoredResponse of(byte[] bytes) {
        return new StoredResponse(bytes.clone());
    }

    public static StoredResponse of(String text) {
        return new StoredResponse(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    /** The bytes decoded as UTF-8. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredResponse response && Arrays.equals(bytes, response.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "StoredResponse[" + bytes.length + " bytes]";
    }
}
