/**
 * A Git repository that works like a database and cannot be tampered with unnoticed.
 *
 * <p>{@link dev.tallystick.ledger.Ledger} joins the rooms below; {@link dev.tallystick.ledger.Anchor} remembers a position elsewhere. The bytes on disk are described in
 * {@code docs/formats/ledger.md}.
 *
 * <p>Invariant: what was answered {@code Appended} is on disk, reachable from {@code refs/heads/main}, and builds on exactly
 * the head that the caller named.
 *
 * <p>Knows nothing of jobs, Postgres or HTTP. Any {@code git} can clone, log and fsck what it writes.
 */
@NullMarked
package dev.tallystick.ledger;

import org.jspecify.annotations.NullMarked;
