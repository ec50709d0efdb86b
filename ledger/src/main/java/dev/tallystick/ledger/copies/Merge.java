package dev.tallystick.ledger.copies;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import java.util.List;

/** The result of a merge with another copy. Moves only this copy's {@code main}, and only forward. */
public sealed interface Merge {

    /** Nothing to do: this copy has everything that the other had when it was fetched. */
    record UpToDate(CommitId head) implements Merge {}

    /** This copy had no commits of its own: {@code main} is now what the other's was. */
    record Forwarded(CommitId head) implements Merge {}

    /** {@code main} names a commit that both histories lead to. */
    record Joined(CommitId head, List<JoinedStream> streams) implements Merge {}

    /** Nothing was changed: the other copy's commits cannot become part of this ledger. */
    record Refused(String reason) implements Merge {}

    /**
     * A stream that both copies had written to.
     *
     * @param head the head of the MERGE at this version
     * @param conflicts what both had changed: objects with {@code path}, {@code base}, {@code kept} and {@code dropped}
     */
    record JoinedStream(StreamId stream, TxHash head, int version, Json.ArrayValue conflicts) {}
}
