package dev.tallystick.exchange.producer;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.exchange.message.Status;

/** The result of recording a posting. */
public sealed interface Posted {

    /** The posting is durable and will be published. */
    record Recorded() implements Posted {}

    /** The same posting was recorded before; {@code status} is how far it is. Nothing was written. */
    record Repeated(Status status) implements Posted {}

    /** Another posting has this id. Nothing was written. */
    record IdReused(Fingerprint recorded) implements Posted {}
}
