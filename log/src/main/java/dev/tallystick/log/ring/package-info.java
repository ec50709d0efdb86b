/**
 * The keys of a log: which one signs at which size, and the proofs by which each names its successor.
 *
 * <p>Main types: {@link dev.tallystick.log.ring.KeyRing}, {@link dev.tallystick.log.ring.Rotation}.
 *
 * <p>Invariant: a size has one key. A key that signs outside its sizes proves nothing, even if its holder lost it.
 */
@NullMarked
package dev.tallystick.log.ring;

import org.jspecify.annotations.NullMarked;
