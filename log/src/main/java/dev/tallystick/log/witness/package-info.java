/**
 * A witness: it cosigns a checkpoint only if it follows from the last one that it cosigned.
 *
 * <p>Main type: {@link dev.tallystick.log.witness.Witness}, which speaks the bodies and status codes of C2SP tlog-witness.
 *
 * <p>Invariant: no two cosignatures of a witness are on histories that part. The state is on disk before an answer is given.
 *
 * <p>Knows nothing of HTTP servers or of what an entry says.
 */
@NullMarked
package dev.tallystick.log.witness;

import org.jspecify.annotations.NullMarked;
