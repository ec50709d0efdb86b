package dev.tallystick.ledger.tx;

/** A transaction and its version in its stream. */
public record LogEntry(int version, TxHash hash, Tx tx) {}
