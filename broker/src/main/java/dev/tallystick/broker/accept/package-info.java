/**
 * Accepts a submission: budget, key, message and job in one transaction.
 *
 * <p>{@code MessageAcceptor} is the transaction, {@link dev.tallystick.broker.accept.AcceptHook} makes and starts the jobs, {@link dev.tallystick.broker.accept.Limiter} keeps the budgets.
 *
 * <p>Invariant: the same key gets the same answer, and a refusal releases its key in the transaction that refuses.
 */
@NullMarked
package dev.tallystick.broker.accept;

import org.jspecify.annotations.NullMarked;
