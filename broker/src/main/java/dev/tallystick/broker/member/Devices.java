package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.Names;
import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;

/**
 * The devices of members. A device's key only identifies it: its member's token decides what it may do. Every call may be
 * repeated after a lost reply. Thread-safe.
 */
public final class Devices {

    private final Database database;
    private final DeviceStore store = new DeviceStore();

    public Devices(Database database) {
        this.database = database;
    }

    public DeviceOutcome register(Member member, String name, DeviceKey key) {
        Names.require("device", name);
        return database.transact("register device", tx -> {
            boolean fresh = store.insert(tx, member, name, key);
            Optional<Device> device = store.lock(tx, member, name);
            if (device.isEmpty()) {
                return new DeviceOutcome.Taken("this key belongs to another device");
            }
            return known(device.get(), key, !fresh);
        });
    }

    /**
     * Replaces a device's key.
     *
     * @param replaced the current key: a caller that knows only an older one is too late
     */
    public DeviceOutcome rotate(Member member, String name, DeviceKey replaced, DeviceKey key) {
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
            if (store.isKnown(tx, member.mesh(), key)) {
                return new DeviceOutcome.Taken("this key belongs to another device");
            }
            store.rotate(tx, member, name, key);
            return known(store.lock(tx, member, name).orElseThrow(), key, false);
        });
    }

    /** Revokes a device; its key can never be used again. Returns whether there is such a device. */
    public boolean revoke(String mesh, String member, String name) {
        return database.transact("revoke device", tx -> store.revoke(tx, mesh, member, name));
    }

    /** By name, including revoked ones. */
    public List<Device> list(String mesh, String member) {
        return database.transact("list devices", tx -> store.list(tx, mesh, member));
    }

    private static DeviceOutcome known(Device device, DeviceKey key, boolean before) {
        if (device.revoked() != null) {
            return new DeviceOutcome.Taken("the device was revoked: register it under another name, with another key");
        }
        return device.key().equals(key)
                ? new DeviceOutcome.Known(device, before)
                : new DeviceOutcome.Taken("the device has another key");
    }
}
