package dev.tallystick.server;

import dev.tallystick.testkit.Eventually;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A client that submits one job after another, whatever is done to the server meanwhile, and remembers what it was refused. */
final class Others implements AutoCloseable {

    private final Http http;
    private final AtomicInteger served = new AtomicInteger();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean done;

    Others(Http http) {
        this.http = http;
        this.thread = Thread.ofVirtual().start(this::submit);
    }

    private void submit() {
        String name = "others:" + System.nanoTime() + ":";
        for (int number = 0; !done; number++) {
            Http.Reply reply =
                    http.submit(name + number, "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}");
            if (reply.status() == 201) {
                served.incrementAndGet();
            } else {
                refused.add(reply.status() + " " + reply.body());
            }
        }
    }

    int served() {
        return served.get();
    }

    List<String> refused() {
        return refused;
    }

    /** Waits for a submission that began after this was called. */
    void awaitServedOnceMore() {
        int before = served();
        Eventually.holds("others are served", () -> served() > before + 1);
    }

    @Override
    public void close() {
        done = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
