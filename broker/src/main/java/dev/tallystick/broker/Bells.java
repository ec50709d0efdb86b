package dev.tallystick.broker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells those who push that there may be something new: a message with a position, or a delivery. A ring is a hint and nothing
 * more: whoever hears it looks, and looks by itself from time to time as well. Thread-safe.
 */
public final class Bells {

    /** Stops a listener from being rung for. */
    public interface Listening extends AutoCloseable {
        @Override
        void close();
    }

    /** Not a record: one who listens twice is told apart from itself. */
    private static final class Listener {

        private final Runnable ring;

        Listener(Runnable ring) {
            this.ring = ring;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /**
     * Has {@code ring} called from now on.
     *
     * @param ring short, for others wait meanwhile: release a semaphore, or unpark a thread
     */
    public Listening listen(Runnable ring) {
        Listener mine = new Listener(ring);
        listeners.add(mine);
        return () -> listeners.remove(mine);
    }

    void ring() {
        listeners.forEach(listener -> listener.ring.run());
    }
}
