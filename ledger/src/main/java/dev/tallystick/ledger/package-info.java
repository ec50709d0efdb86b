/**
 * A Git repository that works like a database and cannot be tampered with unnoticed: streams of transactions, each append a
 * compare-and-set on its stream's head, many appends to a commit, every commit signed and chained by SHA-256.
 *
 * <p>Main types: {@link dev.tallystick.ledger.Ledger}, {@link dev.tallystick.ledger.Write},
 * {@link dev.tallystick.ledger.Append}. The bytes on disk are described in {@code docs/formats/ledger.md}.
 *
 * <p>Invariant: what was answered {@code Appended} is on disk, reachable from {@code refs/heads/main}, and builds on exactly
 * the head that the caller named.
 *
 * <p>Knows nothing of jobs, Postgres or HTTP. Any {@code git} can clone, log and fsck what it writes.
 */
@NullMarked
package dev.tallystick.ledger;

import org.jspecify.annotations.NullMarked;
