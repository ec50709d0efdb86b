package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** What is recorded has a limit: the record is read whenever its job is taken up again. */
final class Payloads {

    static final int MAX_BYTES = 1 << 20;

    static byte[] encode(Codec codec, @Nullable Object value) throws PayloadTooLargeException {
        byte[] encoded = codec.encode(value);
        if (encoded.length > MAX_BYTES) {
            throw new PayloadTooLargeException(encoded.length);
        }
        return encoded;
    }

    private Payloads() {}
}
