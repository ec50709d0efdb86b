package dev.tallystick.daemon.local;

/** The events of one stream, for one thread. */
@FunctionalInterface
public interface EventSource {

    /** The next events in the format of server-sent events; a comment if nothing happened for some seconds. */
    String next() throws InterruptedException;
}
