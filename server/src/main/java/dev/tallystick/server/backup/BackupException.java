package dev.tallystick.server.backup;

/** A backup or a restore is refused, for this reason. Nothing was changed. */
public final class BackupException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BackupException(String reason) {
        super(reason);
    }
}
