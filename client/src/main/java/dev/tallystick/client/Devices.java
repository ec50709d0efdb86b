package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.core.api.DeviceApi.DeviceList;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import dev.tallystick.core.api.DeviceApi.RegisterDevice;
import dev.tallystick.core.api.DeviceApi.RotateDevice;
import java.time.Duration;
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
    public DeviceView register(String name, String publicKey) {
        return register(name, new RegisterDevice(publicKey, null, null));
    }

    /**
     * Registers a device and the host it runs on, so that a copy of it on another host is noticed.
     *
     * @param hostFingerprint a SHA-256 of what distinguishes the host, in lower-case hex
     */
    public DeviceView register(String name, String publicKey, String hostFingerprint, IfCloned ifCloned) {
        return register(
                name,
                new RegisterDevice(publicKey, hostFingerprint, ifCloned.name().toLowerCase(Locale.ROOT)));
    }

    private DeviceView register(String name, RegisterDevice device) {
        return transport.ask(Request.put(path(name), device), DeviceView.class, DeviceView::name, name);
    }

    /**
     * Replaces the key of a device; the replaced one still counts for a day. Repeating this changes nothing.
     *
     * @param replaced the device's current key
     */
    public DeviceView rotate(String name, String replaced, String publicKey) {
        return rotate(name, replaced, publicKey, null);
    }

    /**
     * Replaces the key of a device. Repeating this changes nothing.
     *
     * @param replaced the device's current key
     * @param grace how long the replaced key still counts, at most 30 days; null for a day
     */
    public DeviceView rotate(String name, String replaced, String publicKey, @Nullable Duration grace) {
        RotateDevice body = new RotateDevice(publicKey, replaced, Durations.secondsOrNull(grace));
        return transport.ask(Request.post(path(name) + "/rotate", body), DeviceView.class, DeviceView::name, name);
    }

    /** All devices, including revoked ones. */
    public List<DeviceView> list() {
        return transport.ask(Request.get(PATH), DeviceList.class).devices();
    }

    public void revoke(String name) {
        transport.tell(Request.delete(path(name)));
    }

    private static String path(String name) {
        return PATH + "/" + Query.encode(name);
    }
}
