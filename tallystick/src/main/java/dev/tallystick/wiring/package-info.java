/**
 * What library and server assemble alike: the database with its tables, keys, engine and scheduler.
 *
 * <p>{@link dev.tallystick.wiring.Foundation} guarantees that both open these in the same order, on one clock and one source of
 * ids, and close them in the reverse order. It knows nothing of HTTP, brokers or the exchange.
 */
@NullMarked
package dev.tallystick.wiring;

import org.jspecify.annotations.NullMarked;
