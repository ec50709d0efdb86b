package dev.tallystick.client;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The server could not be reached, or was too busy, as long as patience lasted. Nothing happened; try again later. */
public final class UnavailableException extends TallyException {

    @Serial
    private static final long serialVersionUID = 1L;

    UnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause == null ? new IllegalStateException(message) : cause);
    }
}
