package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.core.api.RecordRefused;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests, made from good ones for every route, by putting something else into the body or by changing
 * bytes. The seed is printed on failure.
 */
@ExtendWith(Seeded.class)
class FuzzTest {

    private static final int REQUESTS = 3_000;
    private static final int BODIES = 20_000;
    private static final int AT_ONCE = 4;

    /** In seconds. Reserving a reserved key waits for its verdict, and none will come. */
    private static final String BRIEFLY = "0.01";

    /** What parsers stumble over. */
    private static final List<String> WORDS = List.of(
            "\r\n",
            "\n",
            "\0",
            "%00",
            "%zz",
            "%c3%28",
            "../",
            "//",
            ";",
            "?",
            "&a=b",
            "#",
            " ",
            "\"",
            "{",
            "[[[[[[[[",
            "null",
            "1e999",
            "-0",
            "99999999999999999999",
            "\\ud800",
            "\u00ff",
            "Transfer-Encoding: chunked\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 7\r\n",
            "Expect: 100-continue\r\n",
            "Content-Encoding: gzip\r\n",
            "Content-Type: text/plain\r\n",
            "Upgrade: h2c\r\n",
            "HTTP/1.0",
            "HTTP/9.9");

    private static final String SOME_ID = "00000000-0000-7000-8000-000000000000";

    /** What no name is, as it stands in a path. */
    private static final List<String> ODD_NAMES = List.of(
            "%27",
            "%20",
            "%22",
            "%2F",
            "%25",
            "%0A",
            "%7F",
            "%C3%BC",
            "%F0%9F%98%80",
            "%EF%BF%BF",
            "%ED%A0%80",
            "-",
            ".",
            "..",
            "*",
            ",",
            "a,b",
            "@",
            "$",
            "a%3Ab",
            "-1",
            "99999999999999999999",
            "null",
            "x".repeat(129),
            "x".repeat(2_000));

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static Http http;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.waiting(BRIEFLY, postgres, data);
        http = server.member("mallory", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void whatever_is_sent_is_answered_with_2xx_or_4xx_and_without_a_trace(Randomness random) throws Exception {
        List<Route> routes = server.server().table().routes().stream()
                .filter(route -> !route.path().text().endsWith("/stream"))
                .toList();
        List<byte[]> changed = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            Route route = random.oneOf(routes);
            byte[] request = request(route, random);
            // What is well-formed gets further than what is not.
            changed.add(route.request() != null && random.nextBoolean() ? request : changed(request, random));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<String>> replies = new ArrayList<>();
            for (byte[] request : changed) {
                replies.add(threads.submit(() -> ask(request)));
            }
            for (int i = 0; i < replies.size(); i++) {
                String sent = new String(changed.get(i), StandardCharsets.ISO_8859_1);
                String reply = replies.get(i).get();
                // What is no HTTP at all may be left without an answer.
                assertThat(reply).as(sent).containsPattern("^($|HTTP/1.1 [124]\\d\\d )");
                assertThat(reply)
                        .as(sent)
                        .doesNotContain("\tat ", "Exception", "java.", "helidon", "\"code\":\"internal_error\"");
            }
        }
        assertThat(server.anonymous().get("/health/ready").status()).isEqualTo(200);
    }

    /** Each name in each path and each query in turn, with everything that is not a name, by a member with all roles. */
    @Test
    void whatever_stands_in_a_path_or_a_query_for_a_name_is_answered_with_2xx_or_4xx(Randomness random)
            throws Exception {
        Http admin = server.admin();
        ShapedBody shaped = new ShapedBody(random);
        for (String kind : List.of("topics", "queues")) {
            admin.put("/v1/" + kind + "/" + SOME_ID, "{}");
        }
        List<Callable<String>> requests = new ArrayList<>();
        for (Route route : server.server().table().routes()) {
            String path = route.path().text();
            for (String odd : ODD_NAMES) {
                List<String> paths = new ArrayList<>();
                for (String name : route.path().names()) {
                    paths.add(path.replace("{" + name + "}", odd).replaceAll("\\{[^}]*}", SOME_ID));
                }
                for (String name : route.query().keySet()) {
                    String query = "?" + name.replace("*", "x") + "=" + odd;
                    paths.add(path.replaceAll("\\{[^}]*}", SOME_ID) + query);
                }
                for (String each : paths) {
                    String body =
                            route.request() == null ? null : shaped.good(route).canonical();
                    requests.add(() -> fault(admin, route.method(), each, body));
                }
            }
        }
        List<String> faults = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (Future<String> asked : threads.invokeAll(requests)) {
                faults.add(asked.get());
            }
        }
        faults.removeIf(String::isEmpty);
        assertThat(faults).isEmpty();
    }

    private static String fault(Http admin, String method, String path, @Nullable String body) {
        Http.Reply reply = admin.send(method, path, body, "Idempotency-Key", "odd");
        return reply.status() >= 500 ? method + " " + path + " " + reply.body() : "";
    }

    @Test
    void whatever_a_body_is_it_becomes_what_the_route_wants_or_is_refused(Randomness random) {
        List<Route> routes = server.server().table().routes().stream()
                .filter(route -> route.request() != null)
                .toList();
        ShapedBody shaped = new ShapedBody(random);
        Map<Route, Integer> understood = new HashMap<>();
        for (int i = 0; i < BODIES; i++) {
            Route route = random.oneOf(routes);
            Json good = shaped.good(route);
            Json wrong = random.nextBoolean() ? good : shaped.wrongSomewhere(good);
            byte[] body = random.chance(0.8) ? wrong.canonicalBytes() : changed(wrong.canonicalBytes(), random);
            try {
                RecordBinding.of(Objects.requireNonNull(route.request())).read(Json.parse(body, Limits.JSON));
                understood.merge(route, 1, Integer::sum);
            } catch (RecordRefused | JsonRefused refused) {
                // Anything else would be an internal error.
            } catch (RuntimeException e) {
                throw new AssertionError(route + " " + new String(body, StandardCharsets.ISO_8859_1), e);
            }
        }
        assertThat(understood.keySet()).as("routes that were reached").containsAll(routes);
        assertThat(understood.values().stream().mapToInt(Integer::intValue).sum())
                .as("bodies that were understood")
                .isBetween(BODIES / 3, BODIES * 9 / 10);
    }

    /** A request whose head is good, with a body that is, or that is wrong somewhere. */
    private static byte[] request(Route route, Randomness random) {
        String path = route.path().text().replaceAll("\\{[^}]*}", SOME_ID);
        String query =
                route.query().isEmpty() ? "" : "?" + route.query().firstEntry().getKey() + "=1";
        byte[] body = new byte[0];
        if (route.request() != null) {
            ShapedBody shaped = new ShapedBody(random);
            Json good = shaped.good(route);
            body = (random.nextBoolean() ? good : shaped.wrongSomewhere(good)).canonicalBytes();
        }
        String head = route.method() + " " + path + query + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + http.token() + "\r\nIdempotency-Key: fuzz:" + random.nextInt(1_000)
                + "\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n\r\n";
        return joined(head.getBytes(StandardCharsets.ISO_8859_1), body);
    }

    private static byte[] changed(byte[] good, Randomness random) {
        byte[] bytes = good;
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(bytes.length + 1);
            int end = Math.min(bytes.length, at + random.nextInt(8));
            byte[] middle = switch (random.nextInt(5)) {
                case 0 -> new byte[] {(byte) random.nextInt(256)};
                case 1 -> new byte[0];
                case 2 -> WORDS.get(random.nextInt(WORDS.size())).getBytes(StandardCharsets.ISO_8859_1);
                case 3 -> part(bytes, 0, Math.min(bytes.length, 64));
                default -> part(bytes, at, Math.min(bytes.length, at + random.nextInt(200)));
            };
            bytes = joined(part(bytes, 0, at), middle, part(bytes, end, bytes.length));
        }
        return bytes;
    }

    private static byte[] part(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, Math.max(from, to));
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Says everything and nothing more, and listens until the server hangs up. */
    private static String ask(byte[] request) throws IOException {
        try (Socket socket = new Socket(
                server.server().address().getHost(), server.server().address().getPort())) {
            socket.setSoTimeout((int) Duration.ofSeconds(40).toMillis());
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            try {
                OutputStream out = socket.getOutputStream();
                out.write(request);
                out.flush();
                socket.shutdownOutput();
                InputStream in = socket.getInputStream();
                in.transferTo(read);
            } catch (SocketException closed) {
                // What came before is the answer.
            }
            return read.toString(StandardCharsets.ISO_8859_1);
        }
    }
}
