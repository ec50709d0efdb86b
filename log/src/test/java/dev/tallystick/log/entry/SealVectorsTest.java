package dev.tallystick.log.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Json;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The vectors of the format's page, computed here; and HKDF against those of RFC 5869. */
@ExtendWith(Seeded.class)
class SealVectorsTest {

    private static final MemberSecret SECRET =
            InstallationSecret.of(new byte[32]).of("mesh-1", "member-1", 1);
    private static final JobSalt SALT = JobSalt.of("job-1", new byte[32]);

    static LogEntry.Accepted accepted() {
        return new LogEntry.Accepted(
                SECRET.tag("accept", "key-1", 0),
                null,
                0L,
                Instant.parse("2027-01-01T00:00:00Z"),
                SALT.commit(Map.of("job", Json.of("job-1"))));
    }

    static Map<String, String> vectors() {
        Map<String, String> vectors = new TreeMap<>();
        vectors.put("member secret", SECRET.secret().hex());
        vectors.put("its position", SECRET.position().hex());
        vectors.put("its commitment", SECRET.commitment().hex());
        vectors.put("tag", SECRET.tag("accept", "key-1", 0).hex());
        vectors.put(
                "tag of the second acceptance", SECRET.tag("accept", "key-1", 1).hex());
        vectors.put("opening", SALT.opening("job").hex());
        vectors.put("commitment", SALT.commit("job", Json.of("job-1")).hex());
        vectors.put("leaf of the tree", Hash.leaf(accepted().bytes()).hex());
        vectors.put(
                "leaf of the map",
                new MapLeaf(SECRET.tag("accept", "key-1", 0), SALT.commit("job", Json.of("job-1")))
                        .hash()
                        .hex());
        return vectors;
    }

    @Test
    void the_page_of_the_format_has_these_vectors() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "formats", "seal.md"));
        vectors().forEach((name, hex) -> assertThat(page).contains("| " + name + " | `" + hex + "` |"));
        assertThat(page).contains("`01` and `" + accepted().json().canonical() + "`");
    }

    @Test
    void hmac_and_hkdf_are_those_of_their_rfcs() {
        byte[] long131 = new byte[131];
        java.util.Arrays.fill(long131, (byte) 0xaa);
        assertThat(HmacSha256.mac(
                                long131,
                                "Test Using Larger Than Block-Size Key - Hash Key First"
                                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                        .hex())
                .isEqualTo("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
        byte[] ikm = new byte[22];
        java.util.Arrays.fill(ikm, (byte) 0x0b);
        Hash extracted = HmacSha256.mac(HexFormat.of().parseHex("000102030405060708090a0b0c"), ikm);
        assertThat(extracted.hex()).isEqualTo("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
        assertThat(HmacSha256.expand(extracted, HexFormat.of().parseHex("f0f1f2f3f4f5f6f7f8f9"))
                        .hex())
                .isEqualTo("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
    }

    @Test
    void a_commitment_opens_for_its_job_field_and_value_only() {
        Hash opening = SALT.opening("job");
        Hash commitment = SALT.commit("job", Json.of("job-1"));

        assertThat(Commitment.of(opening, "job-1", "job", Json.of("job-1"))).isEqualTo(commitment);
        assertThat(Commitment.of(opening, "job-2", "job", Json.of("job-1"))).isNotEqualTo(commitment);
        assertThat(Commitment.of(opening, "job-1", "key", Json.of("job-1"))).isNotEqualTo(commitment);
        assertThat(Commitment.of(opening, "job-1", "job", Json.of("job-2"))).isNotEqualTo(commitment);
        assertThat(SALT.opening("key")).isNotEqualTo(opening);
    }

    @Test
    void entries_are_read_back_and_other_forms_of_them_refused() {
        byte[] bytes = accepted().bytes();
        assertThat(LogEntry.parse(bytes)).isEqualTo(accepted());
        assertRefused(1, "{\"keyless\":true}", "'expires_at' is missing");
        assertRefused(1, "{\"commitments\":{},\"expires_at\":\"2027-01-01T00:00:00Z\"}", "canonical form");
        assertRefused(2, "{ \"commitments\":{}}", "canonical form");
        assertRefused(2, "{\"commitments\":{},\"x\":1}", "'x' is unknown");
        assertRefused(2, "{\"commitments\":{\"A\":\"" + Hash.EMPTY_TREE + "\"}}", "a field name");
        assertRefused(9, "{}", "'log' is missing");
        assertRefused(10, "{}", "unknown type 10");
        assertRefused(7, "{\"count\":1.5,\"covers\":0,\"root\":\"" + Hash.EMPTY_TREE + "\"}", "whole number");
    }

    @Test
    void mutated_entries_are_refused_or_read_back(Randomness random) {
        byte[] good = accepted().bytes();
        for (int i = 0; i < 3_000; i++) {
            byte[] changed = java.util.Arrays.copyOf(good, good.length - random.nextInt(3));
            changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            try {
                assertThat(LogEntry.parse(changed).bytes()).isEqualTo(changed);
            } catch (IllegalArgumentException refused) {
                assertThat(refused).isNotNull();
            }
        }
    }

    private static void assertRefused(int type, String json, String reason) {
        byte[] text = json.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        byte[] bytes =
                ByteBuffer.allocate(1 + text.length).put((byte) type).put(text).array();
        assertThatThrownBy(() -> LogEntry.parse(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
