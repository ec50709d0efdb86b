package dev.tallystick.wiring;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.DocumentQueue;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.exchange.books.DocumentStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/** Has the documents of the exchange sealed into the log of the jobs. */
public final class SealedDocuments implements DocumentQueue {

    private final DocumentStore documents = new DocumentStore();

    private SealedDocuments() {}

    /** A sealer of the jobs and documents of a database, in which the tables of both are. */
    public static Sealer seal(Database database, SealSettings settings, String origin, CrashPoints crashPoints) {
        SealedDocuments queue = new SealedDocuments();
        Sealer sealer = Sealer.open(database, settings, origin, queue, crashPoints);
        database.transact("begin to seal documents", tx -> {
            queue.documents.begin(tx);
            return true;
        });
        return sealer;
    }

    @Override
    public List<Document> waiting(Tx tx, int most) throws SQLException {
        return documents.waiting(tx, most).stream()
                .map(each -> new Document(each.row(), each.subject(), each.record()))
                .toList();
    }

    @Override
    public void remove(Tx tx, long[] rows) throws SQLException {
        documents.remove(tx, rows);
    }
}
