package dev.tallystick.log.note;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;

/** What a {@code cosignature/v1} signs, and how a note carries it: eight bytes of time, then the signature. */
final class Cosignature {

    private static final long LATEST = Instant.MAX.getEpochSecond();

    private Cosignature() {}

    static byte[] message(long seconds, String checkpointText) {
        return ("cosignature/v1\ntime " + seconds + "\n" + checkpointText).getBytes(UTF_8);
    }

    static boolean verifies(VerifierKey key, String text, byte[] timed) {
        if (timed.length != Long.BYTES + VerifierKey.SIGNATURE) {
            return false;
        }
        long seconds = ByteBuffer.wrap(timed).getLong();
        byte[] signature = Arrays.copyOfRange(timed, Long.BYTES, timed.length);
        return seconds >= 0 && seconds <= LATEST && key.verifies(message(seconds, text), signature);
    }

    static Instant time(byte[] timed) {
        return Instant.ofEpochSecond(ByteBuffer.wrap(timed).getLong());
    }
}
