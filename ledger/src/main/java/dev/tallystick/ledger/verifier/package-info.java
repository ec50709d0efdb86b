/**
 * Judges a ledger from nothing but its files, the root key and an anchor. It shares no code with the writer: a mistake made
 * there is not repeated here, and the two agree only if both follow {@code docs/formats/ledger.md}.
 *
 * <p>Main types: {@link dev.tallystick.ledger.verifier.Verifier}, {@link dev.tallystick.ledger.verifier.Report}.
 *
 * <p>Invariant: an empty report means that every transaction reachable from {@code main} is signed for, linked to the one
 * before it, where it belongs, and nothing that the anchor knew is missing.
 *
 * <p>Knows nothing of how a ledger is written, and writes nothing.
 */
@NullMarked
package dev.tallystick.ledger.verifier;

import org.jspecify.annotations.NullMarked;
