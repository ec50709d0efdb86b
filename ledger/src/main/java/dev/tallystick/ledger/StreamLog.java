package dev.tallystick.ledger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads a stream backwards and checks that each transaction is the parent of its successor. */
final class StreamLog {

    private StreamLog() {}

    static List<LogEntry> read(StreamView stream, int newest, int limit) throws IOException {
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
