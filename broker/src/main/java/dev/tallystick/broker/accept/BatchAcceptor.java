package dev.tallystick.broker.accept;

import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Accepts whole batches: the items of one share a transaction and keep their order, whatever becomes of the other batches in
 * it. Each batch has its own statements, so that one with a key of another finds that key bound or free, as it is by then.
 */
final class BatchAcceptor implements Primitive<List<AcceptItem>, List<Acceptance>> {

    /** What an item counts beyond its body, so that few large batches share a transaction. */
    private static final long ROOM = 4 * 1024;

    private final MessageAcceptor messageAcceptor;

    BatchAcceptor(MessageAcceptor messageAcceptor) {
        this.messageAcceptor = messageAcceptor;
    }

    @Override
    public String name() {
        return "accept batches";
    }

    @Override
    public int rank() {
        return messageAcceptor.rank();
    }

    @Override
    public Object orderKey(List<AcceptItem> batch) {
        return batch.getFirst().id();
    }

    /** A batch that waits for a key lets no later batch of its member pass. */
    @Override
    public Object laneKey(List<AcceptItem> batch) {
        return batch.getFirst().member().scope();
    }

    @Override
    public long bytes(List<AcceptItem> batch) {
        return batch.stream()
                .mapToLong(item -> ROOM + messageAcceptor.bytes(item))
                .sum();
    }

    @Override
    public List<@Nullable List<Acceptance>> apply(Tx tx, List<List<AcceptItem>> batches) throws SQLException {
        List<@Nullable List<Acceptance>> answers = new ArrayList<>(batches.size());
        for (List<AcceptItem> batch : batches) {
            List<Acceptance> answered = new ArrayList<>(batch.size());
            for (Acceptance answer : messageAcceptor.apply(tx, batch)) {
                answered.add(Objects.requireNonNull(answer));
            }
            answers.add(answered);
        }
        return answers;
    }
}
