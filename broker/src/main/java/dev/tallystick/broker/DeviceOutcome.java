package dev.tallystick.broker;

/** What came of an attempt to register a device, or to replace its key. */
public sealed interface DeviceOutcome {

    /**
     * The device is known by this key.
     *
     * @param before whether it was so already
     */
    record Known(Device device, boolean before) implements DeviceOutcome {}

    /** Nothing changed: the name stands for another key, or the key for another device, or the device was revoked. */
    record Taken(String why) implements DeviceOutcome {}

    /** Nothing changed: the member has no such device. */
    record NoSuchDevice() implements DeviceOutcome {}
}
