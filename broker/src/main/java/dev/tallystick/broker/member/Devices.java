package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Names;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The devices of members. A device's key only identifies it: its member's token decides what it may do. Every call may be
 * repeated after a lost reply. Thread-safe.
 */
public final class Devices {

    /** How long a previous key counts if nothing else is asked for. */
    public static final Duration USUAL_GRACE = Duration.ofDays(1);

    public static final Duration LONGEST_GRACE = Duration.ofDays(30);

    private static final DeviceOutcome TAKEN = new DeviceOutcome.Taken("this key belongs to another device");

    private final Database database;
    private final DeviceStore store = new DeviceStore();

    public Devices(Database database) {
        this.database = database;
    }

    /**
     * Registers a device by its key.
     *
     * @param host the machine it runs on; null if it does not say, which is never taken for another one
     * @param ifCloned for a device that was registered on another host
     */
    public DeviceOutcome register(
            Member member, String name, DeviceKey key, @Nullable HostFingerprint host, IfCloned ifCloned) {
        Names.require("device", name);
        return database.transact("register device", tx -> {
            boolean fresh = store.insert(tx, member, name, key, host);
            Optional<Device> device = store.lock(tx, member, name);
            if (device.isEmpty()) {
                return TAKEN;
            }
            if (!fresh) {
                return onHost(tx, member, device.get(), key, host, ifCloned);
            }
            // Looked up after the insert, which waits for a device that is just giving this key up.
            if (store.isPrevious(tx, member.mesh(), key)) {
                store.undoInsert(tx, member, name);
                return TAKEN;
            }
            return new DeviceOutcome.Known(device.get(), false);
        });
    }

    private DeviceOutcome onHost(
            Tx tx, Member member, Device device, DeviceKey key, @Nullable HostFingerprint host, IfCloned ifCloned)
            throws SQLException {
        DeviceOutcome outcome = known(device, key, true);
        if (!(outcome instanceof DeviceOutcome.Known) || host == null || host.equals(device.host())) {
            return outcome;
        }
        if (device.host() == null || ifCloned == IfCloned.ALLOW) {
            store.setHost(tx, member, device.name(), host);
            return new DeviceOutcome.Known(store.lock(tx, member, device.name()).orElseThrow(), true);
        }
        return ifCloned == IfCloned.WARN ? outcome : new DeviceOutcome.Cloned();
    }

    /**
     * Replaces a device's key. The current key becomes the previous one, which still names the device for a while.
     *
     * @param replaced the current key: a caller that knows only an older one is too late
     * @param grace for how long the previous key counts
     */
    public DeviceOutcome rotate(Member member, String name, DeviceKey replaced, DeviceKey key, Duration grace) {
        if (grace.isNegative() || grace.compareTo(LONGEST_GRACE) > 0) {
            throw new IllegalArgumentException("a previous key counts for at most " + LONGEST_GRACE.toDays() + " days");
        }
        return database.transact("rotate device", tx -> {
            Optional<Device> device = store.lock(tx, member, name);
            if (device.isEmpty()) {
                return new DeviceOutcome.NoSuchDevice();
            }
            boolean due =
                    device.get().key().equals(replaced) && device.get().revoked() == null && !key.equals(replaced);
            if (!due) {
                return known(device.get(), key, true);
            }
            if (store.isCurrent(tx, member.mesh(), key) || store.isPrevious(tx, member.mesh(), key)) {
                return TAKEN;
            }
            store.rotate(tx, member, name, key, grace);
            return known(store.lock(tx, member, name).orElseThrow(), key, false);
        });
    }

    /** Revokes a device; its key can never be used again. Returns whether there is such a device. */
    public boolean revoke(String mesh, String member, String name) {
        return database.transact("revoke device", tx -> store.revoke(tx, mesh, member, name));
    }

    /** By name, including revoked ones. */
    public List<Device> list(String mesh, String member) {
        return database.read("list devices", tx -> store.list(tx, mesh, member));
    }

    private static DeviceOutcome known(Device device, DeviceKey key, boolean before) {
        if (device.revoked() != null) {
            return new DeviceOutcome.Taken("the device was revoked: register it under another name, with another key");
        }
        return device.hasKey(key)
                ? new DeviceOutcome.Known(device, before)
                : new DeviceOutcome.Taken("the device has another key");
    }
}
