/**
 * What third parties hold and check: receipts of jobs, promises of acceptance, and proofs about keys.
 *
 * <p>Main types: {@link dev.tallystick.log.receipt.Receipt}, {@link dev.tallystick.log.receipt.KeyProof} and
 * {@link dev.tallystick.log.receipt.AcceptancePromise}, each with a JSON or text form and a verifier;
 * {@link dev.tallystick.log.receipt.Trust}, which the verifier brings; {@link dev.tallystick.log.receipt.Verdict}.
 *
 * <p>Invariant: a verdict rests on the verifier's trust and on SHA-256 and Ed25519, never on a key found in the document. Any
 * bytes may be given: what does not verify is refused with the reason.
 *
 * <p>Knows no database and no directory.
 */
@NullMarked
package dev.tallystick.log.receipt;

import org.jspecify.annotations.NullMarked;
