package dev.tallystick.ledger.tx;

/** A new transaction of a ledger. */
public record Changed(StreamId stream, LogEntry entry) {}
