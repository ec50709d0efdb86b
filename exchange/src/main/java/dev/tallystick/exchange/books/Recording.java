package dev.tallystick.exchange.books;

import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A change that is usually one statement, which then travels with COMMIT in one round trip. What that statement leaves undone,
 * such as repetitions and whatever becomes an issue, is applied in full, in another transaction.
 */
public interface Recording<I, O> extends Primitive<I, O> {

    /** Takes the answers of the usual statement. */
    @FunctionalInterface
    interface Usual<O> {

        void done(Object orderKey, O answer);
    }

    /** Applies what is as usual with one statement, {@linkplain Tx#queryLater later}, and leaves out everything else. */
    void applyUsual(Tx tx, List<I> items, Usual<O> usual) throws SQLException;

    /** Whether the usual statement can apply an item. */
    default boolean mayBeUsual(I item) {
        return true;
    }

    default CompletableFuture<O> record(GroupCommitter committer, I item) {
        if (!mayBeUsual(item)) {
            return committer.submit(this, item);
        }
        return committer.submit(new UsualStatement<>(this), item).thenCompose(answer -> {
            O usual = answer.usual();
            return usual == null ? committer.submit(this, item) : CompletableFuture.completedFuture(usual);
        });
    }

    /** The answer of the usual statement; null if it has left the item out. */
    record FirstAnswer<O>(@Nullable O usual) {}

    /** The usual statement. */
    record UsualStatement<I, O>(Recording<I, O> of) implements Primitive<I, FirstAnswer<O>> {

        @Override
        public String name() {
            return of.name();
        }

        @Override
        public int rank() {
            return of.rank();
        }

        @Override
        public Object orderKey(I item) {
            return of.orderKey(item);
        }

        @Override
        public long bytes(I item) {
            return of.bytes(item);
        }

        @Override
        public List<@Nullable FirstAnswer<O>> apply(Tx tx, List<I> items) throws SQLException {
            Map<Object, Integer> indexes = HashMap.newHashMap(items.size());
            List<@Nullable FirstAnswer<O>> answers = new ArrayList<>(items.size());
            for (I item : items) {
                indexes.put(of.orderKey(item), answers.size());
                answers.add(new FirstAnswer<>(null));
            }
            of.applyUsual(
                    tx,
                    items,
                    (key, answer) -> answers.set(Objects.requireNonNull(indexes.get(key)), new FirstAnswer<>(answer)));
            return answers;
        }
    }
}
