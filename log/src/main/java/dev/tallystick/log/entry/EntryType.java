package dev.tallystick.log.entry;

import java.util.Locale;

/** The first byte of an entry. */
public enum EntryType {
    ACCEPTED(1),
    CLOSED(2),
    ERASED(3),
    OPERATOR_ACTION(4),
    EXCHANGE_DOCUMENT(5),
    MEMBER_SECRET(6),
    MAP_HEAD(7),
    KEY_ROTATION(8),
    SUCCESSION(9);

    private final byte code;

    EntryType(int code) {
        this.code = (byte) code;
    }

    public byte code() {
        return code;
    }

    static EntryType of(byte code) {
        for (EntryType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        throw new IllegalArgumentException("an entry of unknown type " + (code & 0xff));
    }

    /** As people read it: {@code operator action}. */
    public String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
