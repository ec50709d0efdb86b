package dev.tallystick.broker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Signals to pushing threads that there may be a new message or delivery. A signal is only a hint: listeners check the
 * database, and also poll it from time to time. Thread-safe.
 */
public final class NewMessageSignal {

    /** Stops signals to a listener. */
    public interface Listening extends AutoCloseable {
        @Override
        void close();
    }

    /** Not a record: two registrations of one listener must differ. */
    private static final class Listener {

        private final Runnable ring;

        Listener(Runnable ring) {
            this.ring = ring;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /**
     * Calls {@code ring} from now on.
     *
     * @param ring must be short, because others wait: release a semaphore, or unpark a thread
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
