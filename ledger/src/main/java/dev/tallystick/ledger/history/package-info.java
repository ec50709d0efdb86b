/**
 * The commits of a ledger, the chain of their signed roots, and what the ledger holds as of one of them.
 *
 * <p>{@code Chain} follows roots, {@code View} is the ledger as of one commit, {@code KeyRing} holds the keys in force,
 * {@link dev.tallystick.ledger.history.Receipt} proves a transaction.
 *
 * <p>Invariant: a view never changes, whatever is written meanwhile.
 */
@NullMarked
package dev.tallystick.ledger.history;

import org.jspecify.annotations.NullMarked;
