package dev.tallystick.broker.member;

/** The result of registering a device or replacing its key. */
public sealed interface DeviceOutcome {

    /**
     * The device is known by this key.
     *
     * @param before whether it already was
     */
    record Known(Device device, boolean before) implements DeviceOutcome {}

    /** Nothing changed: the name or the key is taken, or the device was revoked. */
    record Taken(String why) implements DeviceOutcome {}

    /** Nothing changed: the member has no such device. */
    record NoSuchDevice() implements DeviceOutcome {}
}
