package dev.tallystick.client;

import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What happens, as it happens, in the order of its positions. A connection that breaks is made again from the last
 * position, so nothing is missed and nothing comes twice; whoever has written down {@link #position()} goes on from
 * there in another process.
 *
 * <p>While the server cannot be reached this waits for it, as long as the client's patience lasts, and then throws an
 * {@link UnavailableException}; asking again goes on. For one thread, but for {@link #close()}.
 */
public interface Following<E> extends Iterable<E>, AutoCloseable {

    /** The next one, at the latest after {@code wait}; empty if there is none yet, or none any more. */
    Optional<E> next(Duration wait);

    /** The position of what {@link #next} has given last. */
    long position();

    /** Whether nothing can come any more: it was closed, or what is followed has ended. */
    boolean isOver();

    /** Ends it, also for a thread that waits in {@link #next}, which comes back within seconds. */
    @Override
    void close();

    /** All that is still to come: waits for the next one, until it is over. */
    @Override
    default Iterator<E> iterator() {
        return new Iterator<>() {

            private static final Duration AT_A_TIME = Duration.ofMinutes(1);

            private @Nullable E next;

            @Override
            public boolean hasNext() {
                while (next == null && !isOver()) {
                    next = Following.this.next(AT_A_TIME).orElse(null);
                }
                return next != null;
            }

            @Override
            public E next() {
                if (!hasNext() || next == null) {
                    throw new NoSuchElementException("it is over");
                }
                E given = next;
                next = null;
                return given;
            }
        };
    }
}
