package dev.tallystick.testkit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** An event that happens once, on any thread, and that other threads wait for. Thread-safe; firing again changes nothing. */
public final class Signal {

    private final String what;
    private final CountDownLatch fired = new CountDownLatch(1);

    /** @param what completes the sentence "waited for: …" if the signal is never fired */
    public Signal(String what) {
        this.what = what;
    }

    public void fire() {
        fired.countDown();
    }

    public boolean hasFired() {
        return fired.getCount() == 0;
    }

    public void await() {
        await(Patience.limit());
    }

    public void await(Duration limit) {
        Patience.await(what, limit, fired::await);
    }
}
