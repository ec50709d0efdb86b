/**
 * JSON Patch (RFC 6902), JSON Pointer (RFC 6901), and the difference and merge of documents.
 *
 * <p>Knows nothing of Git and ledgers.
 */
@NullMarked
package dev.tallystick.ledger.json;

import org.jspecify.annotations.NullMarked;
