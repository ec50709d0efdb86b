package dev.tallystick.sql;

import java.util.List;

/** This Postgres may lose acknowledged data. Turn the named settings on; there is no way around it. */
public final class NotDurableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotDurableException(List<String> settingsThatAreOff) {
        super("this Postgres may lose acknowledged data: set " + String.join(" = on, ", settingsThatAreOff)
                + " = on, for the server, the database and the role");
    }
}
