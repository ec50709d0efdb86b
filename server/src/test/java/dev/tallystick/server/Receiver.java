package dev.tallystick.server;

import com.sun.net.httpserver.HttpServer;
import dev.tallystick.core.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives webhook calls and checks who calls. */
final class Receiver implements AutoCloseable {

    /** A call as it came. */
    record Called(String messageId, int attempt, String signature, byte[] body) {

        Json.ObjectValue json() {
            return (Json.ObjectValue) Json.parse(body);
        }

        Json at(String name) {
            return Objects.requireNonNull(json().members().get(name), name);
        }

        /** As the guide says how to check it. */
        boolean isSignedWith(String secret) {
            String seconds = signature.substring("t=".length(), signature.indexOf(','));
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(HexFormat.of().parseHex(secret), "HmacSHA256"));
                mac.update((seconds + "." + messageId + ".").getBytes(StandardCharsets.US_ASCII));
                return signature.endsWith(",v1=" + HexFormat.of().formatHex(mac.doFinal(body)));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final BlockingQueue<Called> calls = new LinkedBlockingQueue<>();
    private final HttpServer server;
    private volatile int status = 204;

    Receiver() {
        try {
            this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            Called called = new Called(
                    exchange.getRequestHeaders().getFirst("Tally-Message-Id"),
                    Integer.parseInt(exchange.getRequestHeaders().getFirst("Tally-Attempt")),
                    exchange.getRequestHeaders().getFirst("Tally-Signature"),
                    exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
            calls.add(called);
        });
        server.start();
    }

    void answer(int other) {
        status = other;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
    }

    Called next() throws InterruptedException {
        return Objects.requireNonNull(calls.poll(30, TimeUnit.SECONDS), "no call came");
    }

    boolean wasCalledAgain() {
        return !calls.isEmpty();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
