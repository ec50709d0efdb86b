package dev.tallystick.postgres;

import java.nio.file.Path;
import java.util.OptionalLong;

/** Another process owns the directory. Nothing was touched: wait for it to close, or choose another directory. */
public final class DirectoryInUseException extends EmbeddedPostgresException {

    private final long holder;

    DirectoryInUseException(Path directory, OptionalLong holder) {
        super(
                "%s is in use by %s. Stop that process, or choose another directory."
                        .formatted(directory, holder.isPresent() ? "process " + holder.getAsLong() : "another process"),
                null);
        this.holder = holder.orElse(-1);
    }

    /** The process that owns the directory; empty if it had not yet said who it is. */
    public OptionalLong holder() {
        return holder < 0 ? OptionalLong.empty() : OptionalLong.of(holder);
    }
}
