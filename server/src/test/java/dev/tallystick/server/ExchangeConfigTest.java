package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExchangeConfigTest {

    private static final SigningKey KEY = SigningKey.generate();

    private static final String FILE = """
            {
              "participant": "acme",
              "key_file": "acme.key",
              "partners": {"globex": {"server": "https://tally.globex.example", "token_file": "globex.token"}}
            }
            """;

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(directory.resolve("exchange.json"), FILE);
        secret("acme.key", KEY.toPem());
        secret("globex.token", "a-token\n");
    }

    private void secret(String name, String content) throws IOException {
        Path secret = Files.writeString(directory.resolve(name), content);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void a_file_says_who_we_are_and_how_to_reach_partners_and_is_not_printed_with_its_secrets() {
        ExchangeConfig config =
                Objects.requireNonNull(ServerSettings.of(directory, Map.of("TALLY_EXCHANGE", file.toString()))
                        .exchange());

        assertThat(config.participant()).isEqualTo(new Participant("acme"));
        assertThat(config.key().publicKey()).isEqualTo(KEY.publicKey());
        assertThat(config.partners())
                .isEqualTo(Map.of(
                        new Participant("globex"), new Partner(URI.create("https://tally.globex.example"), "a-token")));
        assertThat(config.toString()).isEqualTo("ExchangeConfig[acme with [globex]]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"acme.key", "globex.token"})
    void a_secret_that_others_may_read_is_refused_with_its_mode(String name) throws IOException {
        Files.setPosixFilePermissions(directory.resolve(name), PosixFilePermissions.fromString("rw-r-----"));

        assertThatThrownBy(() -> ExchangeConfig.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name + ", whose mode is rw-r-----: run chmod 600");
    }

    @Test
    void what_is_missing_or_unknown_is_named() throws IOException {
        Files.writeString(file, FILE.replace("key_file", "keyfile"));
        assertThatThrownBy(() -> ExchangeConfig.read(file)).hasMessageContaining("'keyfile' is unknown");
        Files.writeString(file, FILE.replace("acme.key", "other.key"));
        assertThatThrownBy(() -> ExchangeConfig.read(file)).hasMessageContaining("other.key");
    }
}
