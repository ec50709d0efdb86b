package dev.tallystick.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports of the loopback address. A free port may be taken a moment later, so callers must be ready to ask again. */
final class Ports {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final int ANY = 0;

    static int free() {
        try (ServerSocket socket = listen(ANY)) {
            return socket.getLocalPort();
        } catch (IOException noneLeft) {
            throw new UncheckedIOException(noneLeft);
        }
    }

    static boolean isTaken(int port) {
        try (ServerSocket socket = listen(port)) {
            return !socket.isBound();
        } catch (IOException taken) {
            return true;
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByAddress(LOOPBACK));
    }

    private Ports() {}
}
