package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.util.Map;

/**
 * The devices of the member of the token, each named by the public half of a key that stays on it. Keys are Ed25519, their 32
 * bytes in base64. Thread-safe.
 */
public final class Devices {

    private static final String PATH = "/v1/devices";

    private final Exchange exchange;

    Devices(Exchange exchange) {
        this.exchange = exchange;
    }

    /** The same key again is the same device. */
    public Reply register(String name, String publicKey) {
        return exchange.send(Request.put(path(name), new Json.ObjectValue(Map.of("public_key", Json.of(publicKey)))));
    }

    /**
     * Replaces the key of a device. The same again changes nothing.
     *
     * @param replaced the key that it has had so far
     */
    public Reply rotate(String name, String replaced, String publicKey) {
        return exchange.send(Request.post(
                path(name) + "/rotate",
                new Json.ObjectValue(Map.of("public_key", Json.of(publicKey), "replaces", Json.of(replaced)))));
    }

    public Reply list() {
        return exchange.send(Request.get(PATH));
    }

    public Reply revoke(String name) {
        return exchange.send(Request.delete(path(name)));
    }

    private static String path(String name) {
        return PATH + "/" + TallyClient.encode(name);
    }
}
