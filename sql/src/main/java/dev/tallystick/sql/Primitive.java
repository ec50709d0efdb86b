package dev.tallystick.sql;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One kind of durable write, as SQL that takes a batch. What a primitive promises, so that strangers may share its transaction:
 *
 * <ul>
 *   <li><b>It is guarded.</b> Applied again to items that are applied already, it writes nothing and gives the answers of the
 *       first time. After a lost COMMIT reply this is how the outcome is found out.
 *   <li><b>Conflicts are answers.</b> What an item may expect to meet (a key already used, a ceiling, a lost fence) is part of
 *       {@code O}; whatever is thrown means that the item cannot be applied at all.
 *   <li><b>It locks in order</b>: lower {@link #rank()} first, and within one statement sorted.
 *   <li><b>It runs no code of users</b>: everybody waits for the thread that applies it.
 * </ul>
 */
public interface Primitive<I, O> {

    /** For errors and logs. */
    String name();

    /** Place in the lock order of a mixed batch: keys before jobs before activities before GUIDs. */
    int rank();

    /** Items with equal order keys are never in one batch and are applied in the order in which they were handed in. */
    Object orderKey(I item);

    /**
     * Items with equal lane keys go through the same lane, so that one handed in later is in the same batch or in a later one,
     * never in an earlier one. Items with equal order keys have equal lane keys.
     */
    default Object laneKey(I item) {
        return orderKey(item);
    }

    /** About how much memory an item takes, if that is its caller's choice: so much of it a queue and a batch are limited by. */
    default long bytes(I item) {
        return 0;
    }

    /**
     * Applies the items and returns one answer each, in the same order. The answers are read after the commit, so they may come
     * with it ({@link Tx#queryLater}). {@code null} instead of an answer says that nothing was done for an item, because a stranger
     * holds a lock that it needs or because it takes more than was tried: it goes alone in a further transaction, where it waits
     * for its locks and must be answered; {@link Tx#mayWait()} tells.
     */
    List<@Nullable O> apply(Tx tx, List<I> items) throws SQLException;
}
