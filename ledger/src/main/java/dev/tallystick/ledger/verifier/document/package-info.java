/**
 * Checks documents for the verifier: canonical text, patches, merges and schemas, each in bounded time.
 */
@NullMarked
package dev.tallystick.ledger.verifier.document;

import org.jspecify.annotations.NullMarked;
