package dev.tallystick.daemon;

import dev.tallystick.server.TallyServer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A server in a process of its own, to be killed. Arguments: database, directory, port. */
final class ServerChild {

    static final String READY = "serving";

    public static void main(String[] arguments) throws InterruptedException {
        TallyServer server = TallyServer.start(
                RealServer.settings(arguments[0], Path.of(arguments[1]), Integer.parseInt(arguments[2])));
        System.out.println(READY + " " + server.address());
        new CountDownLatch(1).await();
    }

    private ServerChild() {}
}
