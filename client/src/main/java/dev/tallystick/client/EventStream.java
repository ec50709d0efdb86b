package dev.tallystick.client;

import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Events as they happen, in the order of their positions. After a broken connection the client resumes at the last position, so
 * nothing is missed and nothing comes twice; store {@link #position()} to resume in another process.
 *
 * <p>While the server is unreachable this waits for it, up to the client's patience, and then throws an {@link
 * UnavailableException}; ask again to continue. For one thread, except {@link #close()}.
 */
public interface EventStream<E> extends Iterable<E>, AutoCloseable {

    /** The next event, after {@code wait} at the latest; empty if there is none yet, or none any more. */
    Optional<E> next(Duration wait);

    /** The position of the last event from {@link #next}. */
    long position();

    /** Whether there can be no more events: this was closed, or its subject has ended. */
    boolean isOver();

    /** Ends it, even for a thread that waits in {@link #next}, which returns within seconds. */
    @Override
    void close();

    /** All further events: waits for each one, until the end. */
    @Override
    default Iterator<E> iterator() {
        return new Iterator<>() {

            private static final Duration AT_A_TIME = Duration.ofMinutes(1);

            private @Nullable E next;

            @Override
            public boolean hasNext() {
                while (next == null && !isOver()) {
                    next = EventStream.this.next(AT_A_TIME).orElse(null);
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
