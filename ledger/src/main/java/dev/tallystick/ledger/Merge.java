package dev.tallystick.ledger;

import dev.tallystick.core.Json;
import java.util.List;

/** What came of joining this ledger with another copy of it. Only {@code main} of this copy is ever moved, and only on. */
public sealed interface Merge {

    /** Nothing to do: this copy has everything that the other one had when it was fetched. */
    record UpToDate(CommitId head) implements Merge {}

    /** This copy had nothing of its own: {@code main} is now what the other one's was. */
    record Forwarded(CommitId head) implements Merge {}

    /** {@code main} names a commit that both histories lead to. */
    record Joined(CommitId head, List<JoinedStream> streams) implements Merge {}

    /** Nothing was changed: what the other copy has cannot become part of this ledger. */
    record Refused(String reason) implements Merge {}

    /**
     * A stream that both had written to.
     *
     * @param head of the MERGE, whose version this is
     * @param conflicts what both had changed: objects with {@code path}, {@code base}, {@code kept} and {@code dropped}
     */
    record JoinedStream(StreamId stream, TxHash head, int version, Json.ArrayValue conflicts) {}
}
