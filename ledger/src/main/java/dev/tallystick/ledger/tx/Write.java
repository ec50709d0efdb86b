package dev.tallystick.ledger.tx;

import dev.tallystick.core.Ulid;

/**
 * One write to one stream.
 *
 * @param expectedHead the head that the caller knows, {@link TxHash#NONE} for the first write; always required
 * @param txId chosen by the caller and reused for every repetition of this write, so that it happens once
 */
public record Write(StreamId stream, Change change, TxHash expectedHead, Ulid txId) {}
