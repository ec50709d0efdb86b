package dev.tallystick.broker.webhook;

import dev.tallystick.broker.message.Delivery;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Lets the receiver verify that we made a call: {@code Tally-Signature: t=SECONDS,v1=HEX}, where HEX is the HMAC-SHA-256 of the
 * seconds, a dot, the message ID, a dot and the body. It includes the time so that a recorded call cannot be replayed later,
 * and the ID because receivers detect repeats by it.
 */
final class Signature {

    private static final String ALGORITHM = "HmacSHA256";

    static Map<String, String> headers(byte[] secret, Delivery delivery, byte[] body, long seconds) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("User-Agent", "tallystick");
        UUID message = delivery.message().id();
        headers.put("Tally-Message-Id", message.toString());
        headers.put("Tally-Attempt", Integer.toString(delivery.attempt()));
        headers.put("Tally-Signature", "t=" + seconds + ",v1=" + sign(secret, seconds, message, body));
        String traceParent = delivery.message().traceParent();
        if (traceParent != null) {
            headers.put("traceparent", traceParent);
        }
        return headers;
    }

    static String sign(byte[] secret, long seconds, UUID message, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            mac.update((seconds + "." + message + ".").getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    private Signature() {}
}
