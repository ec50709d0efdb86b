/**
 * A SQLite database with the contents of a ledger, for SQL queries.
 *
 * <p>Invariant: the index is sealed under the ledger's key and tied to its head, or it is rebuilt.
 */
@NullMarked
package dev.tallystick.ledger.query;

import org.jspecify.annotations.NullMarked;
