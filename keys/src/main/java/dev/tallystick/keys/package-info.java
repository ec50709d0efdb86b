/**
 * The key ledger: the first request under a key runs, and repeats get its answer.
 *
 * <p>Two kinds of keys share one table. {@link dev.tallystick.keys.AcceptKeys} binds keys inside the transaction that accepts their
 * requests. {@link dev.tallystick.keys.ReserveKeys} makes a key durable before foreign work begins and settles it afterwards;
 * {@link dev.tallystick.keys.KeyLedger} runs user handlers on top of it.
 *
 * <p>Invariant: a bound key returns the same entry until it expires, and only its owner, an operator or a proof that nothing
 * happened frees a reserved key; time alone never does.
 *
 * <p>Knows nothing of jobs, messages, HTTP or caches.
 */
@NullMarked
package dev.tallystick.keys;

import org.jspecify.annotations.NullMarked;
