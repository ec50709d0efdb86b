package dev.tallystick.ledger;

/** A transaction and its place in its stream. */
public record LogEntry(int version, TxHash hash, Tx tx) {}
