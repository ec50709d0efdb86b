package dev.tallystick.postgres;

/** The server could lose acknowledged data in a crash. It was not started, or was stopped again: change the setting. */
public final class NotDurableException extends EmbeddedPostgresException {

    NotDurableException(String setting, String value) {
        super(
                ("%s is %s, so an acknowledged commit could be lost in a crash. Remove that setting"
                                + " (from the call, from postgresql.auto.conf, or from the role or database).")
                        .formatted(setting, value),
                null);
    }
}
