package dev.tallystick.broker;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;

/**
 * The devices of members. A device's key names it and nothing more: what a device may do is what its member's token may. Every
 * call may be repeated after a lost reply. Thread-safe.
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
                return new DeviceOutcome.Taken("this key names another device");
            }
            return known(device.get(), key, !fresh);
        });
    }

    /**
     * Replaces the key of a device.
     *
     * @param replaced the key that it has had so far: somebody who knows an older one is too late
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
                return new DeviceOutcome.Taken("this key names another device");
            }
            store.rotate(tx, member, name, key);
            return known(store.lock(tx, member, name).orElseThrow(), key, false);
        });
    }

    /** It is no device of the member any more, and its key is never one again. Returns whether there is such a device. */
    public boolean revoke(String mesh, String member, String name) {
        return database.transact("revoke device", tx -> store.revoke(tx, mesh, member, name));
    }

    /** By name, also those that were revoked. */
    public List<Device> list(String mesh, String member) {
        return database.transact("list devices", tx -> store.list(tx, mesh, member));
    }

    private static DeviceOutcome known(Device device, DeviceKey key, boolean before) {
        if (device.revoked() != null) {
            return new DeviceOutcome.Taken("the device was revoked: register it under another name, with another key");
        }
        return device.key().equals(key)
                ? new DeviceOutcome.Known(device, before)
                : new DeviceOutcome.Taken("the device is known by another key");
    }
}
