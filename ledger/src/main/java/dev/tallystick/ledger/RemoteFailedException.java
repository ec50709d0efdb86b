package dev.tallystick.ledger;

import java.io.IOException;

/** Another copy could not be reached, or its answer was not understood. Nothing of this copy was changed: try again later. */
public final class RemoteFailedException extends IOException {

    RemoteFailedException(String message) {
        super(message);
    }
}
