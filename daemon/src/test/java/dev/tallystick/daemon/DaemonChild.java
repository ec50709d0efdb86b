package dev.tallystick.daemon;

import dev.tallystick.testkit.HaltAt;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A daemon in a process of its own, to be killed. Arguments: directory, server, token, and whether it receives. */
public final class DaemonChild {

    public static final String READY = "accepting";

    public static void main(String[] arguments) throws InterruptedException {
        DaemonSettings settings = DaemonUnderTest.settings(
                        Path.of(arguments[0]), URI.create(arguments[1]), arguments[2])
                .withCrashPoints(HaltAt.configured())
                .withCourier(DaemonUnderTest.QUICK.withBatch(Integer.getInteger("tally.batch", 500)))
                .receiving(Boolean.parseBoolean(arguments[3]));
        Daemon daemon = Daemon.start(settings);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(daemon::close));
        System.out.println(READY);
        new CountDownLatch(1).await();
    }

    private DaemonChild() {}
}
