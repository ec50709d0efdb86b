package dev.tallystick.server;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.server.http.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A server in a process of its own, which stops where its parent wants it to: at the point that a file names, with whatever it has
 * locked at that moment. Arguments: the JDBC URL and the directory.
 */
final class FreezingServer {

    static final String FREEZES = "freezes";

    private static final String FILE = "freeze";
    private static final String THAWED = "thawed";

    public static void main(String[] arguments) {
        Path data = Path.of(arguments[1]);
        TallyServer server = TallyServer.start(
                ServerUnderTest.settings(arguments[0], data), Limits.DEFAULT, point -> reached(point, data));
        System.out.println("ready " + server.address());
        while (true) {
            LockSupport.park();
        }
    }

    /** For the parent: has the server of this directory stop when it comes to the point. */
    static void freezeAt(CrashPoint point, Path data) throws IOException {
        Path written = Files.writeString(data.resolve("wish"), point.toString());
        Files.move(written, data.resolve(FILE));
    }

    /** For the parent: lets the thread at the crash point continue. */
    static void thaw(Path data) throws IOException {
        Files.createFile(data.resolve(THAWED));
    }

    private static void reached(CrashPoint point, Path data) {
        Path wish = data.resolve(FILE);
        if (Files.exists(wish)) {
            freezeIfWanted(point, wish);
        }
    }

    private static synchronized void freezeIfWanted(CrashPoint point, Path wish) {
        try {
            if (Files.exists(wish) && Files.readString(wish).equals(point.toString())) {
                Files.delete(wish);
                System.out.println(FREEZES);
                // The parent stops the whole process now. If it stopped itself, that could be after the parent resumed
                // it.
                Path thawed = wish.resolveSibling(THAWED);
                while (!Files.deleteIfExists(thawed)) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FreezingServer() {}
}
