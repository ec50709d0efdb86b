package dev.tallystick.core.api;

import java.io.Serial;

/** A JSON document is not the record that was expected. The message says where, and what belongs there. */
public final class RecordRefused extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    RecordRefused(String message) {
        super(message, null, false, false);
    }

    /** @param place such as {@code /deliveries/0/fence}; empty for the whole document */
    static RecordRefused at(String place, String what) {
        return new RecordRefused(where(place) + " " + what);
    }

    static String where(String place) {
        return place.isEmpty() ? "the body" : place.substring(1);
    }
}
