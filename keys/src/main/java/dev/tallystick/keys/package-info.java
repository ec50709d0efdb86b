/**
 * The key ledger: under one key, one thing happens, and whoever asks again gets the first answer.
 *
 * <p>Two doors lead to one table. {@link dev.tallystick.keys.AcceptDoor} binds keys inside the transaction that accepts what
 * they ask for. {@link dev.tallystick.keys.ReserveDoor} makes a key durable before foreign work begins and settles it
 * afterwards; {@link dev.tallystick.keys.KeyLedger} runs users' handlers behind it.
 *
 * <p>Invariant: a key that was bound answers with the same entry until it expires, and nothing but its owner, an operator or
 * a proof that nothing happened frees a reserved one; time alone never does.
 *
 * <p>Knows nothing of jobs, messages, HTTP or caches.
 */
@NullMarked
package dev.tallystick.keys;

import org.jspecify.annotations.NullMarked;
