package dev.tallystick.client;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The devices of the token's member, each identified by the public half of a key that stays on the device. Keys are Ed25519, as
 * 32 bytes in base64. Thread-safe.
 */
public final class Devices {

    private static final String PATH = "/v1/devices";

    private final Transport transport;

    Devices(Transport transport) {
        this.transport = transport;
    }

    /**
     * A device.
     *
     * @param rotatedAt when it got this key; null if it has had no other
     * @param revokedAt null while it is valid
     */
    public record Device(
            String name,
            String member,
            String publicKey,
            Instant registeredAt,
            @Nullable Instant rotatedAt,
            @Nullable Instant revokedAt) {

        static Device of(Fields fields) {
            return new Device(
                    fields.text("name"),
                    fields.text("member"),
                    fields.text("public_key"),
                    fields.text("registered_at", Instant::parse),
                    fields.optionalText("rotated_at", Instant::parse),
                    fields.optionalText("revoked_at", Instant::parse));
        }
    }

    /** Registers a device. The same key again is the same device. */
    public Device register(String name, String publicKey) {
        Body body = new Body().with("public_key", publicKey);
        return transport.ask(Request.put(path(name), body.json()), answer -> Device.of(answer.about("name", name)));
    }

    /**
     * Replaces the key of a device. Repeating this changes nothing.
     *
     * @param replaced the device's previous key
     */
    public Device rotate(String name, String replaced, String publicKey) {
        Body body = new Body().with("public_key", publicKey).with("replaces", replaced);
        return transport.ask(
                Request.post(path(name) + "/rotate", body.json()), answer -> Device.of(answer.about("name", name)));
    }

    /** All devices, including revoked ones. */
    public List<Device> list() {
        return transport.ask(Request.get(PATH), answer -> answer.list("devices", Device::of));
    }

    public void revoke(String name) {
        transport.tell(Request.delete(path(name)));
    }

    private static String path(String name) {
        return PATH + "/" + Query.encode(name);
    }
}
