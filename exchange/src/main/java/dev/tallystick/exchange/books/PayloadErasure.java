package dev.tallystick.exchange.books;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/**
 * Deletes the payloads of settled postings. Who posted what to whom, the digests and the signatures stay, so the books of both
 * sides still agree; evidence that was exported before still verifies. The caller owns the transaction.
 */
public final class PayloadErasure {

    private final PayloadErasureStore store = new PayloadErasureStore();

    /** One of the postings that is not settled, as people read it; empty if there is none. */
    public Optional<String> unsettled(Tx tx, Collection<String> ids) throws SQLException {
        return store.unsettled(tx, ids);
    }

    public void erase(Tx tx, Collection<String> ids) throws SQLException {
        store.erasePosted(tx, ids);
        store.eraseReceived(tx, ids);
        store.eraseIssues(tx, ids);
    }
}
