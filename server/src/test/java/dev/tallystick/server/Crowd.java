package dev.tallystick.server;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Many connections of one client, each of which says the same and then holds on: in a process of its own, or here. Arguments: the
 * address, how many, and what each says.
 */
public final class Crowd implements AutoCloseable {

    public static final String THERE = "there";

    private final List<Socket> sockets = new ArrayList<>();

    public static void main(String[] arguments) {
        try (Crowd crowd = new Crowd()) {
            crowd.come(URI.create(arguments[0]), Integer.parseInt(arguments[1]), arguments[2]);
            System.out.println(THERE);
            while (true) {
                LockSupport.park();
            }
        }
    }

    /** Some may be turned away, which is no reason to stop. */
    public void come(URI server, int number, String words) {
        come("127.0.0.1", server, number, words);
    }

    public void come(String from, URI server, int number, String words) {
        for (int i = 0; i < number; i++) {
            Socket socket = new Socket();
            sockets.add(socket);
            try {
                socket.bind(new InetSocketAddress(from, 0));
                socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), 10_000);
                socket.setSoTimeout(20_000);
                socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException turnedAway) {
                close(socket);
            }
        }
    }

    public List<Socket> sockets() {
        return sockets;
    }

    /** What the server has answered to each. */
    public List<String> statuses() throws IOException {
        List<String> statuses = new ArrayList<>();
        for (Socket socket : sockets) {
            statuses.add(status(socket));
        }
        return statuses;
    }

    private static String status(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = socket.getInputStream().read();
                read >= 0 && read != '\r';
                read = socket.getInputStream().read()) {
            line.append((char) read);
        }
        return line.length() < 12 ? "" : line.substring(9, 12);
    }

    /** Waits for the end of what comes, for less long than anybody may be silent. */
    public static boolean isCutOff(Socket socket) throws IOException {
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketException reset) {
            return true;
        } catch (SocketTimeoutException open) {
            return false;
        }
    }

    public static String request(String method, String path, String token, String body) {
        return method + " " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\n"
                + (body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n") + "\r\n" + body;
    }

    @Override
    public void close() {
        sockets.forEach(Crowd::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            // That is what was wanted.
        }
    }
}
