package dev.tallystick.ledger;

/** A new transaction of a ledger. */
public record Changed(StreamId stream, LogEntry entry) {}
