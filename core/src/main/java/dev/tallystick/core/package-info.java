/**
 * The value types that every other module uses: 15-digit ledgers, keys, fingerprints, canonical JSON, ids.
 *
 * <p>Main types: {@link dev.tallystick.core.ActivityLedger} and {@link dev.tallystick.core.GuidLedger}, whose places are named
 * by {@link dev.tallystick.core.Digit}; {@link dev.tallystick.core.IdempotencyKey} and the
 * {@link dev.tallystick.core.Fingerprint} of its {@link dev.tallystick.core.Envelope}; {@link dev.tallystick.core.Json}, which
 * has one canonical form; {@link dev.tallystick.core.Ids}, which creates ids that sort by time.
 *
 * <p>Invariant: every value is valid, so callers need not check it again. Constructors refuse invalid input with an
 * {@link java.lang.IllegalArgumentException} that says why.
 *
 * <p>Knows nothing of databases, files, networks or JSON libraries: the JDK only. Clocks and randomness are passed in.
 */
@NullMarked
package dev.tallystick.core;

import org.jspecify.annotations.NullMarked;
