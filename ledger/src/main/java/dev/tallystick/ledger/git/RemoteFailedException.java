package dev.tallystick.ledger.git;

import java.io.IOException;

/** Another copy could not be reached, or its answer was not understood. This copy is unchanged: try again later. */
public final class RemoteFailedException extends IOException {

    public RemoteFailedException(String message) {
        super(message);
    }
}
