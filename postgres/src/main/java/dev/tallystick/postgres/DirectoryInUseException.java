package dev.tallystick.postgres;

import java.nio.file.Path;
import java.util.OptionalLong;

/** Another process owns the directory. Nothing was changed: wait until it closes, or choose another directory. */
public final class DirectoryInUseException extends EmbeddedPostgresException {

    static final long UNKNOWN = -1;

    private final long holder;

    DirectoryInUseException(Path directory, long holder) {
        super(
                "%s is in use by %s. Stop that process, or choose another directory."
                        .formatted(directory, holder == UNKNOWN ? "another process" : "process " + holder),
                null);
        this.holder = holder;
    }

    /** The process that owns the directory; empty if it has not written its name yet. */
    public OptionalLong holder() {
        return holder == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(holder);
    }
}
