package dev.tallystick.log.map;

import java.io.IOException;

/** The file of the map is damaged. Delete it: it is rebuilt from the log. */
public final class DamagedMapException extends IOException {

    DamagedMapException(String message) {
        super(message);
    }
}
