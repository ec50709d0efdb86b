/**
 * The value types that every other module speaks in: ledgers of 15 digits, keys, fingerprints, canonical JSON, ids.
 *
 * <p>Main types: {@link dev.tallystick.core.ActivityLedger} and {@link dev.tallystick.core.GuidLedger}, whose places are
 * named by {@link dev.tallystick.core.Digit}; {@link dev.tallystick.core.IdempotencyKey} and the
 * {@link dev.tallystick.core.Fingerprint} of the {@link dev.tallystick.core.Envelope} that it stands for;
 * {@link dev.tallystick.core.Json}, which has one written form; {@link dev.tallystick.core.Ids}, which makes ids that sort
 * by time.
 *
 * <p>Invariant: a value that exists is valid; whoever holds one need not check it again. What is not valid is refused with
 * an {@link java.lang.IllegalArgumentException} that says why.
 *
 * <p>Knows nothing of databases, files, networks or JSON libraries: the JDK only. Clocks and randomness are passed in.
 */
@NullMarked
package dev.tallystick.core;

import org.jspecify.annotations.NullMarked;
