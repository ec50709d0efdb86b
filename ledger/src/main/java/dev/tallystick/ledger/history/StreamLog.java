package dev.tallystick.ledger.history;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads a stream backwards and checks that each transaction is the parent of its successor. */
public final class StreamLog {

    private StreamLog() {}

    public static List<LogEntry> read(StreamView stream, int newest, int limit) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        int first = Math.min(newest, stream.version());
        TxHash expected = TxHash.NONE;
        for (int version = first; version >= 1 && entries.size() < limit; version--) {
            byte[] bytes = stream.bytes(version);
            TxHash hash = TxHash.of(bytes);
            boolean head = version == stream.version();
            if (head ? !hash.equals(stream.head()) : version < first && !hash.equals(expected)) {
                throw new DamagedObjectException("version " + version + " of " + stream.id() + " was replaced");
            }
            Tx tx = Tx.parse(bytes);
            entries.add(new LogEntry(version, hash, tx));
            expected = tx.parent();
        }
        return List.copyOf(entries);
    }
}
