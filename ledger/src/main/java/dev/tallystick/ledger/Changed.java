package dev.tallystick.ledger;

/** A transaction that came to a ledger. */
public record Changed(StreamId stream, LogEntry entry) {}
