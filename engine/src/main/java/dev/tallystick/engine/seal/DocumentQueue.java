package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Documents of the exchange that are to be sealed. The transaction that records a document queues it; the sealer takes it from
 * here in the transaction that fixes its place in the log. The caller owns the transactions.
 */
public interface DocumentQueue {

    /** For a database whose documents are not sealed. */
    DocumentQueue NONE = new DocumentQueue() {
        @Override
        public List<Document> waiting(Tx tx, int most) {
            return List.of();
        }

        @Override
        public void remove(Tx tx, long[] rows) {
            // There are none.
        }
    };

    /**
     * Documents that share an entry.
     *
     * @param row of the queue; several may share one
     * @param subject what the commitments are bound to
     * @param record the fields that the entry commits to
     */
    record Document(long row, String subject, Map<String, Json> record) {}

    /** The oldest, in their order: whole rows, until there are so many documents or more. */
    List<Document> waiting(Tx tx, int most) throws SQLException;

    void remove(Tx tx, long[] rows) throws SQLException;
}
