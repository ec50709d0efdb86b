package dev.tallystick.exchange.consumer;

import dev.tallystick.sql.Tx;

/**
 * Handles postings. Whatever it writes through the transaction commits together with its outcome, exactly once. It may be
 * started again after a failure; effects elsewhere then happen again, under the same {@link Request#key()}.
 */
@FunctionalInterface
public interface Handler {

    /**
     * Decides about a posting.
     *
     * @throws Exception if it could not decide: it is started again later
     */
    Outcome handle(Request request, Tx tx) throws Exception;
}
