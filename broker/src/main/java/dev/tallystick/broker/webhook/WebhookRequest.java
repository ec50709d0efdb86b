package dev.tallystick.broker.webhook;

import dev.tallystick.core.Futures;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One HTTP/1.1 POST to a checked address. The connection goes to exactly the address that passed the check: a client that
 * resolves the name again may get another one. For the same reason, redirects are not followed.
 *
 * <p>A call has a total time limit: a slow receiver cannot hold it up, however slowly it reads or answers.
 */
final class WebhookRequest {

    private static final Duration CONNECTING = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int HIGHEST_PORT = 65_535;
    private static final int LONGEST_LINE = 8 * 1_024;
    private static final int MOST_HEADERS = 100;
    private static final int MOST_INTERIM = 10;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})( .*)?");

    private final AddressPolicy policy;
    private final Duration limit;

    WebhookRequest(AddressPolicy policy) {
        this(policy, LONGEST);
    }

    /** @param limit the maximum duration of a call, from the DNS lookup to the answer */
    WebhookRequest(AddressPolicy policy, Duration limit) {
        this.policy = policy;
        this.limit = limit;
    }

    /** The result of a call. */
    sealed interface Outcome {

        /** The receiver answered. */
        record Answered(int status) implements Outcome {}

        /** No answer; a later call may succeed. */
        record Failed(String why) implements Outcome {}

        /** The call is not allowed, now or later. */
        record Forbidden(String why) implements Outcome {}
    }

    Outcome post(URI url, Map<String, String> headers, byte[] body) {
        // At the deadline the connection is closed, which ends the exchange wherever it waits.
        try (Socket connection = new Socket()) {
            return Futures.await(CompletableFuture.supplyAsync(
                            () -> exchange(connection, url, headers, body), Thread::startVirtualThread)
                    .completeOnTimeout(tooLong(), limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IOException e) {
            return failed(e);
        }
    }

    private Outcome exchange(Socket connection, URI url, Map<String, String> headers, byte[] body) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(host(url));
            for (InetAddress address : addresses) {
                if (!policy.allows(address)) {
                    return new Outcome.Forbidden(url.getHost() + " has an address that is not public");
                }
            }
            try (Socket socket = connect(connection, url, addresses[0])) {
                send(socket.getOutputStream(), url, headers, body);
                return answer(socket.getInputStream());
            }
        } catch (UnknownHostException e) {
            return new Outcome.Failed("there is no host " + url.getHost());
        } catch (IOException e) {
            return failed(e);
        }
    }

    private Outcome tooLong() {
        BigDecimal seconds = BigDecimal.valueOf(limit.toMillis(), 3).stripTrailingZeros();
        return new Outcome.Failed("the call took longer than " + seconds.toPlainString() + " s");
    }

    private static Outcome failed(IOException e) {
        return new Outcome.Failed(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
    }

    /** Refuses an uncallable URL at registration. */
    static URI require(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        boolean web = scheme.equals("https") || scheme.equals("http");
        if (!web || url.getHost() == null || url.getUserInfo() != null || url.getFragment() != null) {
            throw new IllegalArgumentException(
                    "a webhook must be an http or https URL with a host, without user or fragment: " + url);
        }
        if (url.getPort() == 0 || url.getPort() > HIGHEST_PORT) {
            throw new IllegalArgumentException("a webhook's port must be between 1 and " + HIGHEST_PORT + ": " + url);
        }
        requireName(url);
        return url;
    }

    /** TLS sends the host name along, and not every name can be sent. */
    private static void requireName(URI url) {
        String host = host(url);
        try {
            if (!host.contains(":")) {
                SNIHostName unused = new SNIHostName(host);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "a webhook's host must have labels of up to 63 characters and no trailing dot: " + url, e);
        }
    }

    private static String host(URI url) {
        String host = url.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static Socket connect(Socket plain, URI url, InetAddress address) throws IOException {
        boolean secure = "https".equalsIgnoreCase(url.getScheme());
        int port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
        plain.connect(new InetSocketAddress(address, port), (int) CONNECTING.toMillis());
        return secure ? secured(plain, host(url), port) : plain;
    }

    /** The certificate must match the host name in the URL. */
    private static Socket secured(Socket plain, String host, int port) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (!host.contains(":")) {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static void send(OutputStream out, URI url, Map<String, String> headers, byte[] body) throws IOException {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        StringBuilder head = new StringBuilder("POST ")
                .append(path)
                .append(url.getRawQuery() == null ? "" : "?" + url.getRawQuery())
                .append(" HTTP/1.1\r\nHost: ")
                .append(url.getHost())
                .append(url.getPort() >= 0 ? ":" + url.getPort() : "")
                .append("\r\nContent-Length: ")
                .append(body.length)
                .append("\r\nConnection: close\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.flush();
    }

    /** The status alone: what else the other side says is of no use to us. What it says before its answer is passed over. */
    private static Outcome answer(InputStream in) throws IOException {
        for (int interim = 0; interim <= MOST_INTERIM; interim++) {
            Matcher status = STATUS.matcher(line(in));
            if (!status.matches()) {
                return new Outcome.Failed("the answer is not HTTP");
            }
            int number = Integer.parseInt(status.group(1));
            if (number / 100 != 1 || number == SWITCHING_PROTOCOLS) {
                return new Outcome.Answered(number);
            }
            int headers = 0;
            while (!line(in).isEmpty()) {
                if (++headers > MOST_HEADERS) {
                    return new Outcome.Failed("the answer has more than " + MOST_HEADERS + " headers");
                }
            }
        }
        return new Outcome.Failed("it said more than " + MOST_INTERIM + " times that an answer will come");
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n' && line.length() < LONGEST_LINE; c = in.read()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }
}
