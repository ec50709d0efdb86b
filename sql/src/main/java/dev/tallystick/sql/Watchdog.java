package dev.tallystick.sql;

import java.sql.Connection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Breaks the connection of a statement that does not finish. A socket timeout limits how long we wait for a reply, but not how
 * long we try to send to a peer that does not read. Thread-safe.
 */
final class Watchdog {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);

    /** A running statement. Not a record: instances compare by identity. */
    static final class Watch implements AutoCloseable {

        private final Watchdog watchdog;
        private final Connection connection;
        private final long deadlineNanos;

        private Watch(Watchdog watchdog, Connection connection, long deadlineNanos) {
            this.watchdog = watchdog;
            this.connection = connection;
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public void close() {
            watchdog.watched.remove(this);
        }
    }

    private static final class Shared {
        static final Watchdog INSTANCE = new Watchdog().started();
    }

    private final Set<Watch> watched = ConcurrentHashMap.newKeySet();

    /** Breaks the connection unless the watch is closed in time. */
    static Watch over(Connection connection, Duration limit) {
        Watch watch = new Watch(Shared.INSTANCE, connection, System.nanoTime() + limit.toNanos());
        Shared.INSTANCE.watched.add(watch);
        return watch;
    }

    private Watchdog started() {
        Thread.ofPlatform().daemon().name("tally-watchdog").start(() -> LastingThreads.last(this::look));
        return this;
    }

    private void look() {
        while (true) {
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            long now = System.nanoTime();
            for (Watch watch : watched) {
                if (now - watch.deadlineNanos > 0) {
                    watch.close();
                    // Breaking the connection may block; do not block others.
                    Thread.ofVirtual().start(() -> Connections.discard(watch.connection));
                }
            }
        }
    }
}
