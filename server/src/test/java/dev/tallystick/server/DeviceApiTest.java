package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The devices of members: names for keys, and nothing more. */
class DeviceApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static Http alice;
    private static Http bob;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        alice = server.member("alice", "member");
        bob = server.member("bob", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String key() throws NoSuchAlgorithmException {
        byte[] encoded = KeyPairGenerator.getInstance("Ed25519")
                .generateKeyPair()
                .getPublic()
                .getEncoded();
        return Base64.getEncoder().encodeToString(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
    }

    private static Http.Reply register(Http http, String name, String key) {
        return http.put("/v1/devices/" + name, "{\"public_key\":\"" + key + "\"}");
    }

    private static Http.Reply rotate(Http http, String name, String from, String to) {
        return http.post(
                "/v1/devices/" + name + "/rotate", "{\"public_key\":\"" + to + "\",\"replaces\":\"" + from + "\"}");
    }

    @Test
    void a_device_is_registered_once_and_its_key_is_replaced() throws NoSuchAlgorithmException {
        String first = key();
        String second = key();

        assertThat(register(alice, "laptop", first).status()).isEqualTo(201);
        assertThat(register(alice, "laptop", first).status()).isEqualTo(200);
        assertThat(register(alice, "laptop", second).code()).isEqualTo("device_taken");
        assertThat(register(bob, "desk", first).code()).isEqualTo("device_taken");
        assertThat(rotate(alice, "laptop", first, second).text("public_key")).isEqualTo(second);
        assertThat(rotate(alice, "laptop", first, second).status()).isEqualTo(200);
        assertThat(rotate(alice, "laptop", first, key()).code()).isEqualTo("device_taken");
        assertThat(rotate(bob, "laptop", second, key()).status()).isEqualTo(404);
        assertThat(register(bob, "laptop", key()).status())
                .as("names are a member's own")
                .isEqualTo(201);
    }

    @Test
    void a_replaced_key_counts_until_its_grace_is_over() throws NoSuchAlgorithmException {
        String first = key();
        String second = key();
        String third = key();
        register(alice, "tablet", first);

        Http.Reply rotated = rotate(alice, "tablet", first, second);

        assertThat(rotated.text("previous_key")).isEqualTo(first);
        assertThat(Duration.between(
                        Instant.parse(rotated.text("rotated_at")), Instant.parse(rotated.text("previous_until"))))
                .isEqualTo(Duration.ofDays(1));
        assertThat(register(alice, "tablet", first).text("public_key")).isEqualTo(second);
        assertThat(register(bob, "thief", first).code()).isEqualTo("device_taken");
        assertThat(rotate(alice, "tablet", first, third).code())
                .as("only the current key is replaced")
                .isEqualTo("device_taken");
        assertThat(rotate(alice, "tablet", second, first).code())
                .as("a key does not come back while it counts")
                .isEqualTo("device_taken");

        Http.Reply atOnce = alice.post(
                "/v1/devices/tablet/rotate",
                "{\"public_key\":\"" + third + "\",\"replaces\":\"" + second + "\",\"grace_seconds\":0}");

        assertThat(atOnce.body()).doesNotContain("previous");
        assertThat(register(alice, "tablet", second).code()).isEqualTo("device_taken");
        assertThat(register(alice, "tablet", third).status()).isEqualTo(200);
        assertThat(alice.post(
                                "/v1/devices/tablet/rotate",
                                "{\"public_key\":\"" + key() + "\",\"replaces\":\"" + third
                                        + "\",\"grace_seconds\":2592001}")
                        .code())
                .isEqualTo("malformed_request");
    }

    @Test
    void the_same_key_on_another_host_is_a_copy_of_the_device() throws NoSuchAlgorithmException {
        String key = key();
        String here = "ab".repeat(32);
        String there = "cd".repeat(32);
        assertThat(on(here, null, key).status()).isEqualTo(201);

        assertThat(on(here, null, key).status()).isEqualTo(200);
        assertThat(on(there, null, key).code()).isEqualTo("device_cloned");
        assertThat(on(there, "refuse", key).code()).isEqualTo("device_cloned");
        assertThat(on(there, "warn", key).text("host_fingerprint")).isEqualTo(here);
        assertThat(register(alice, "moving", key).text("host_fingerprint"))
                .as("a device that does not say where it is, is no copy")
                .isEqualTo(here);
        assertThat(on(there, "allow", key).text("host_fingerprint")).isEqualTo(there);
        assertThat(on(here, null, key).code()).isEqualTo("device_cloned");
        assertThat(on(here, null, key()).code())
                .as("another key is another device")
                .isEqualTo("device_taken");
        assertThat(on("AB".repeat(32), null, key).code()).isEqualTo("malformed_request");
        assertThat(on(here, "perhaps", key).code()).isEqualTo("malformed_request");
    }

    private static Http.Reply on(String host, @Nullable String ifCloned, String key) {
        String rule = ifCloned == null ? "" : ",\"if_cloned\":\"" + ifCloned + "\"";
        return alice.put(
                "/v1/devices/moving",
                "{\"public_key\":\"" + key + "\",\"host_fingerprint\":\"" + host + "\"" + rule + "}");
    }

    @Test
    void a_revoked_device_never_comes_back() throws NoSuchAlgorithmException {
        String key = key();
        register(alice, "lost", key);

        assertThat(bob.delete("/v1/devices/lost?member=alice").status()).isEqualTo(403);
        assertThat(server.admin().delete("/v1/devices/lost?member=alice").status())
                .isEqualTo(204);
        assertThat(alice.delete("/v1/devices/lost").status()).isEqualTo(204);
        assertThat(register(alice, "lost", key).code()).isEqualTo("device_taken");
        assertThat(register(alice, "found", key).code()).isEqualTo("device_taken");
        assertThat(rotate(alice, "lost", key, key()).code()).isEqualTo("device_taken");
        assertThat(server.admin().get("/v1/devices?member=alice").body()).contains("\"revoked_at\"");
        assertThat(bob.delete("/v1/devices/none").status()).isEqualTo(404);
    }

    @Test
    void what_is_no_key_is_refused() {
        for (String none : List.of("", "AAAA", "no base64!", "/".repeat(43) + "8=")) {
            assertThat(register(alice, "odd", none).code()).as(none).isEqualTo("malformed_request");
        }
    }

    @Test
    void devices_of_another_mesh_are_as_absent_as_none() throws NoSuchAlgorithmException {
        String key = key();
        register(alice, "here", key);
        Http other = server.mesh("elsewhere");

        assertThat(other.get("/v1/devices?member=alice").at("devices")).isEqualTo(new Json.ArrayValue(List.of()));
        assertThat(other.delete("/v1/devices/here?member=alice").status()).isEqualTo(404);
        assertThat(register(other, "here", key).status())
                .as("a mesh does not see the keys of another")
                .isEqualTo(201);
    }
}
