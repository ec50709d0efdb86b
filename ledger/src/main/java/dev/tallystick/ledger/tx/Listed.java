package dev.tallystick.ledger.tx;

/** A stream in a listing. */
public record Listed(StreamId stream, int version, TxHash head, boolean deleted, String path) {}
