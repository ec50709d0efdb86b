package dev.tallystick.core.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The devices of a member. */
public interface DeviceApi {

    /**
     * A device to register.
     *
     * @param publicKey Ed25519, as 32 bytes in base64
     * @param hostFingerprint a SHA-256 of what distinguishes the machine, in hex; the same key on another one is a copy
     */
    record RegisterDevice(
            String publicKey,
            @Nullable String hostFingerprint,

            @Values(
                    oneOf = {"refuse", "warn", "allow"},
                    ifMissing = "\"refuse\"")
            @Nullable
            String ifCloned) {}

    /**
     * A new key for a device.
     *
     * @param replaces the device's current key
     * @param graceSeconds for how long the replaced key still counts
     */
    record RotateDevice(
            String publicKey,
            String replaces,

            @Values(least = 0, most = 2_592_000, ifMissing = "86400") @Nullable
            Integer graceSeconds) {}

    /**
     * A device.
     *
     * @param previousKey the key it had before, until {@code previousUntil}; null if only the current one counts
     * @param hostFingerprint the host it was registered on; null if it did not say
     * @param rotatedAt when it got this key; null if it has had no other
     * @param revokedAt null while it is valid
     */
    record DeviceView(
            String name,
            String member,
            String publicKey,
            @Nullable String previousKey,
            @Nullable Instant previousUntil,
            @Nullable String hostFingerprint,
            Instant registeredAt,
            @Nullable Instant rotatedAt,
            @Nullable Instant revokedAt) {}

    record DeviceList(List<DeviceView> devices) {}
}
