/**
 * The value types that every other module speaks in: ledgers of 15 digits, keys, fingerprints, canonical JSON, ids.
 *
 * <p>Main types: {@link dev.tallystick.core.ActivityLedger}, {@link dev.tallystick.core.GuidLedger}.
 *
 * <p>Invariant: a value that exists is valid; whoever holds one need not check it again.
 *
 * <p>Knows nothing of databases, files, networks or JSON libraries: the JDK only.
 */
@NullMarked
package dev.tallystick.core;

import org.jspecify.annotations.NullMarked;
