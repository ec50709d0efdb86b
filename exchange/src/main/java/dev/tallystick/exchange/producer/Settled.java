package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.Payload;

/** The outcome of a posting, as the consumer has signed it and both sides have recorded it. */
public sealed interface Settled {

    /** The consumer did the work. */
    record Ok(Payload payload) implements Settled {}

    /** The consumer refused. */
    record Rejected(String reason, Payload payload) implements Settled {}
}
