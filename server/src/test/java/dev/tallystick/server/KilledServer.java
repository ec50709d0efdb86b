package dev.tallystick.server;

import dev.tallystick.testkit.HaltAt;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A server in a process of its own, which halts where its parent said. Arguments: the JDBC URL, the directory, the port. */
final class KilledServer {

    public static void main(String[] arguments) {
        TallyServer server = TallyServer.start(
                ServerUnderTest.settings(arguments[0], Path.of(arguments[1]))
                        .at(ServerSettings.LOOPBACK, Integer.parseInt(arguments[2])),
                Limits.DEFAULT,
                HaltAt.configured());
        System.out.println("ready " + server.address());
        while (true) {
            LockSupport.park();
        }
    }

    private KilledServer() {}
}
