package dev.tallystick.sql;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One kind of durable write, as SQL that takes a batch. A primitive makes these promises, so that unrelated callers may share
 * its transaction:
 *
 * <ul>
 *   <li><b>It is guarded.</b> If it is applied again to the same items, it writes nothing and returns the same answers. After
 *       a lost COMMIT reply, this is how we find the outcome.
 *   <li><b>Conflicts are answers.</b> Expected conflicts (a key already used, a ceiling, a lost fence) are part of {@code O};
 *       an exception means that the item cannot be applied at all.
 *   <li><b>It locks in order</b>: lower {@link #rank()} first, and sorted within one statement.
 *   <li><b>It runs no user code</b>: all callers wait for the thread that applies it.
 * </ul>
 */
public interface Primitive<I, O> {

    /** For errors and logs. */
    String name();

    /** Position in the lock order of a mixed batch: keys before jobs before activities before GUIDs. */
    int rank();

    /** Items with equal order keys never share a batch and are applied in the order of submission. */
    Object orderKey(I item);

    /**
     * While an item waits for a lock, later items with its lane key wait behind it. Items with equal order keys have equal lane
     * keys.
     */
    default Object laneKey(I item) {
        return orderKey(item);
    }

    /** The approximate memory of an item, if its caller controls it; queues and batches are limited by the sum. */
    default long bytes(I item) {
        return 0;
    }

    /**
     * Applies the items and returns one answer each, in the same order. The answers are read after the commit, so they may
     * arrive with it ({@link Tx#queryLater}). A {@code null} answer means that nothing was done for an item, because another
     * transaction holds a lock that it needs or because it needs more than was tried. That item runs alone in another
     * transaction, where it waits for its locks and must get an answer; {@link Tx#mayWait()} says which case this is.
     */
    List<@Nullable O> apply(Tx tx, List<I> items) throws SQLException;
}
