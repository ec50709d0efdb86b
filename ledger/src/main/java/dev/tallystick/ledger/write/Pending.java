package dev.tallystick.ledger.write;

import dev.tallystick.ledger.git.Oid;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/** Something that waits to become part of a commit. */
public sealed interface Pending {

    CompletableFuture<Verdict> verdict();

    /** Approximate size in bytes, for the batch limit. */
    int size();

    int SMALL = 4096;

    /** A finished transaction that only needs its stream's head to be the expected one. */
    @SuppressWarnings("ArrayRecordComponent") // the bytes are a function of tx
    record Transaction(Tx tx, byte[] bytes, TxHash hash, List<String> path, CompletableFuture<Verdict> verdict)
            implements Pending {

        static Transaction of(Tx tx) {
            byte[] bytes = tx.bytes();
            return new Transaction(tx, bytes, TxHash.of(bytes), tx.stream().path(), new CompletableFuture<>());
        }

        @Override
        public int size() {
            return bytes.length;
        }
    }

    /**
     * A file of the ledger itself, a key or a schema: written once, never changed.
     *
     * @param contentAt the content, given the position of the commit that will hold it
     */
    record NewFile(
            List<String> directory, String name, LongFunction<byte[]> contentAt, CompletableFuture<Verdict> verdict)
            implements Pending {

        static NewFile of(List<String> directory, String name, LongFunction<byte[]> contentAt) {
            return new NewFile(directory, name, contentAt, new CompletableFuture<>());
        }

        String path() {
            return String.join("/", directory) + "/" + name;
        }

        @Override
        public int size() {
            return SMALL;
        }
    }

    /** The committer's verdict. */
    sealed interface Verdict {

        /** On disk. {@code version} is its version in the stream; 0 for a file. */
        record Committed(int version, Oid commit) implements Verdict {}

        /**
         * Not written: the stream's head in {@code view} is another one (perhaps from an earlier attempt of this very write),
         * or the file already exists.
         */
        record Moved(View view) implements Verdict {}

        /** Not written: the collection's schema has changed since this was checked. */
        record SchemaChanged() implements Verdict {}

        /** Not written, with the reason. */
        record Refused(String reason) implements Verdict {}

        /** Perhaps written. */
        record Unknown(String reason) implements Verdict {}
    }
}
