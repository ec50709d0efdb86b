/**
 * The durable record of jobs: the ledgers, the postings, and the tables around them.
 *
 * <p>{@code CollationStore} keeps the ledgers, {@code PostingStore} the leases; {@code CheckpointWriter} applies a checkpoint, in
 * one statement where {@code FastCheckpointStore} can.
 *
 * <p>Invariant: every increment is guarded in the statement that makes it, and a write with an outdated fence matches no row.
 *
 * <p>Knows nothing of user code: stores never call it.
 */
@NullMarked
package dev.tallystick.engine.record;

import org.jspecify.annotations.NullMarked;
