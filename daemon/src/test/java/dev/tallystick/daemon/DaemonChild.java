package dev.tallystick.daemon;

import dev.tallystick.testkit.HaltAt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * A daemon in a process of its own, to be killed. Arguments: directory, server, token (or {@code @} and the file that has it),
 * and whether it receives.
 */
public final class DaemonChild {

    public static final String READY = "accepting";

    public static void main(String[] arguments) throws InterruptedException {
        Path directory = Path.of(arguments[0]);
        URI server = URI.create(arguments[1]);
        String token = arguments[2];
        DaemonSettings given = token.startsWith("@")
                ? DaemonSettings.of(directory, server, () -> read(Path.of(token.substring(1))))
                : DaemonUnderTest.settings(directory, server, token);
        DaemonSettings settings = given.withCrashPoints(HaltAt.configured())
                .withCourier(DaemonUnderTest.QUICK.withBatch(Integer.getInteger("tally.batch", 500)))
                .receiving(Boolean.parseBoolean(arguments[3]));
        Daemon daemon = Daemon.start(settings);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(daemon::close));
        System.out.println(READY);
        new CountDownLatch(1).await();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DaemonChild() {}
}
