package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Trust;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.TestPostgres;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class TlsTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path files;

    private static TallyServer server;

    @BeforeAll
    static void start() throws Exception {
        make(files, "server", "-keyalg", "EC");
        make(files, "other", "-keyalg", "EC");
        make(files, "rsa", "-keyalg", "RSA", "-keysize", "2048");
        make(files, "edwards", "-keyalg", "Ed25519");
        server = TallyServer.start(settings("server"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_client_that_trusts_the_certificate_is_served_over_https() {
        TallyClient client = client("server");

        TallyClient.Submitted job = client.submit(
                TallyClient.NewJob.of("sample.order", Json.parse("{\"order\":\"42\"}")), new IdempotencyKey("k"));

        assertThat(server.address()).hasScheme("https");
        assertThat(client.result(job.job(), Duration.ofSeconds(30)).status()).isEqualTo("completed");
    }

    @Test
    void the_guide_shows_how_to_trust_an_authority() {
        URI address = server.address();
        String token = ServerUnderTest.adminToken(files.resolve("data"));
        Path authority = files.resolve("server-cert.pem");

        TallyClient client = new TallyClient(address, token, TallyClient.PATIENCE, Trust.in(authority));

        assertThat(client.members().me().name()).isEqualTo("admin");
    }

    @Test
    void a_client_that_trusts_another_certificate_says_nothing_to_the_server() {
        TallyClient stranger = client("other");

        assertThatThrownBy(() -> stranger.members().me())
                .as("nothing was sent")
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("certificate");
    }

    @Test
    void who_does_not_speak_tls_is_not_answered() throws Exception {
        try (Socket socket =
                new Socket(server.address().getHost(), server.address().getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write("GET /v1/features HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing.pem", "server-cert.pem"})
    void a_key_that_is_none_keeps_the_server_from_starting_and_says_what_is_wrong(String key) {
        Certificate certificate = new Certificate(files.resolve("server-cert.pem"), files.resolve(key));

        assertThatThrownBy(certificate::context)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"other", "rsa", "edwards"})
    void a_key_of_another_certificate_keeps_the_server_from_starting(String other) {
        Certificate certificate = new Certificate(files.resolve("server-cert.pem"), files.resolve(other + "-key.pem"));

        assertThatThrownBy(certificate::context)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("do not go together");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsa", "edwards"})
    void keys_of_every_kind_are_understood(String kind) {
        Certificate certificate = new Certificate(files.resolve(kind + "-cert.pem"), files.resolve(kind + "-key.pem"));

        assertThat(certificate.context().getProtocol()).isEqualTo("TLS");
    }

    @Test
    void the_environment_names_both_files_or_neither() {
        Path chain = files.resolve("server-cert.pem");
        Path key = files.resolve("server-key.pem");

        assertThat(ServerSettings.of(files, Map.of("TALLY_TLS_CERT", chain.toString(), "TALLY_TLS_KEY", key.toString()))
                        .tls())
                .isEqualTo(new Certificate(chain, key));
        assertThat(ServerSettings.of(files, Map.of()).tls()).isNull();
        assertThatThrownBy(() -> ServerSettings.of(files, Map.of("TALLY_TLS_CERT", chain.toString())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TALLY_TLS_KEY");
    }

    private static ServerSettings settings(String name) {
        return ServerUnderTest.settings(postgres.url(), files.resolve("data"))
                .withTls(Certificate.of(files.resolve(name + "-cert.pem"), files.resolve(name + "-key.pem")));
    }

    private static TallyClient client(String trusted) {
        return new TallyClient(
                server.address(),
                ServerUnderTest.adminToken(files.resolve("data")),
                Duration.ofSeconds(2),
                Trust.in(files.resolve(trusted + "-cert.pem")));
    }

    /** A certificate for this machine that is its own authority, as PEM, made by the JDK's keytool. */
    public static void make(Path directory, String name, String... kind) throws Exception {
        Path store = directory.resolve(name + ".p12");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-genkeypair", "-alias", "server"));
        command.addAll(List.of(kind));
        command.addAll(List.of("-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost"));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", "changeit", "-keystore", store.toString()));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        char[] password = "changeit".toCharArray();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, password);
        }
        Key key = keys.getKey("server", password);
        Files.writeString(directory.resolve(name + "-key.pem"), pem("PRIVATE KEY", key.getEncoded()));
        Files.writeString(
                directory.resolve(name + "-cert.pem"),
                pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
    }

    private static String pem(String what, byte[] encoded) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(encoded) + "\n-----END " + what
                + "-----\n";
    }
}
