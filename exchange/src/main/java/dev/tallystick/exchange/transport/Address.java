package dev.tallystick.exchange.transport;

import dev.tallystick.exchange.message.Participant;

/** Where messages go: a topic, and in it a subject. */
public record Address(Topic topic, Participant subject) {}
