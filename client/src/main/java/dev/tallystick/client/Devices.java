package dev.tallystick.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
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
     * @param previousKey the key it had before, until {@code previousUntil}; null if only the current one counts
     * @param hostFingerprint the host it was registered on; null if it did not say
     * @param rotatedAt when it got this key; null if it has had no other
     * @param revokedAt null while it is valid
     */
    public record Device(
            String name,
            String member,
            String publicKey,
            @Nullable String previousKey,
            @Nullable Instant previousUntil,
            @Nullable String hostFingerprint,
            Instant registeredAt,
            @Nullable Instant rotatedAt,
            @Nullable Instant revokedAt) {

        static Device of(Fields fields) {
            return new Device(
                    fields.text("name"),
                    fields.text("member"),
                    fields.text("public_key"),
                    fields.optionalText("previous_key"),
                    fields.optionalText("previous_until", Instant::parse),
                    fields.optionalText("host_fingerprint"),
                    fields.text("registered_at", Instant::parse),
                    fields.optionalText("rotated_at", Instant::parse),
                    fields.optionalText("revoked_at", Instant::parse));
        }
    }

    /** What a server does if a device that was registered on one host registers with the same key on another. */
    public enum IfCloned {
        /** It refuses with {@code device_cloned}. */
        REFUSE,
        /** It answers with the host on which the device was registered, for the caller to compare. */
        WARN,
        /** It takes the device to have moved to the new host. */
        ALLOW
    }

    /** Registers a device. The same key again is the same device. */
    public Device register(String name, String publicKey) {
        return register(name, new Body().with("public_key", publicKey));
    }

    /**
     * Registers a device and the host it runs on, so that a copy of it on another host is noticed.
     *
     * @param hostFingerprint a SHA-256 of what distinguishes the host, in lower-case hex
     */
    public Device register(String name, String publicKey, String hostFingerprint, IfCloned ifCloned) {
        Body body = new Body()
                .with("public_key", publicKey)
                .with("host_fingerprint", hostFingerprint)
                .with("if_cloned", ifCloned.name().toLowerCase(Locale.ROOT));
        return register(name, body);
    }

    private Device register(String name, Body body) {
        return transport.ask(Request.put(path(name), body.json()), answer -> Device.of(answer.about("name", name)));
    }

    /**
     * Replaces the key of a device; the replaced one still counts for a day. Repeating this changes nothing.
     *
     * @param replaced the device's current key
     */
    public Device rotate(String name, String replaced, String publicKey) {
        return rotate(name, replaced, publicKey, null);
    }

    /**
     * Replaces the key of a device. Repeating this changes nothing.
     *
     * @param replaced the device's current key
     * @param grace how long the replaced key still counts, at most 30 days; null for a day
     */
    public Device rotate(String name, String replaced, String publicKey, @Nullable Duration grace) {
        Body body = new Body()
                .with("public_key", publicKey)
                .with("replaces", replaced)
                .withSeconds("grace_seconds", grace);
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
