package dev.tallystick.ledger;

import dev.tallystick.core.Json;
import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.write.LedgerOptions;
import java.nio.file.Path;

/** A process that appends given versions of one document, one by one, and reports each. */
public final class OneWriter {

    public static final StreamId STREAM = StreamId.of("kills", "doc");

    private OneWriter() {}

    /** The write that makes {@code version}; always the same, so that it can be repeated. */
    public static Write write(int version, TxHash head) {
        return new Write(STREAM, new Change.Put(Json.parse(Integer.toString(version))), head, new Ulid(7, version));
    }

    public static void main(String[] arguments) throws Exception {
        Path repository = Path.of(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            TxHash head = ledger.read(STREAM).head();
            int version = ledger.log(STREAM, Integer.MAX_VALUE, 1_000).size();
            for (int i = 1; i <= count; i++) {
                System.out.println("begin " + (version + i));
                head = Writes.done(ledger, write(version + i, head));
                System.out.println("appended " + (version + i) + " " + head);
            }
        }
    }
}
