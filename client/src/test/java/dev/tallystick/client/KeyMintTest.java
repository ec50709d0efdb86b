package dev.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.IdempotencyKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a mint has on disk, whenever its process dies. */
class KeyMintTest {

    private static final int COMPACT_AFTER = 3;

    @TempDir
    Path directory;

    @Test
    void a_key_is_on_disk_before_anybody_sees_it_also_when_the_log_is_written_anew() throws IOException {
        try (KeyMint mint = open("mint")) {
            for (int order = 1; order <= 3 * COMPACT_AFTER; order++) {
                IdempotencyKey key = mint.keyFor("order " + order);

                try (KeyMint afterCrash = openCopy(order)) {
                    assertThat(afterCrash.unsettled()).isEqualTo(mint.unsettled());
                    assertThat(afterCrash.keyFor("order " + order)).isEqualTo(key);
                }
            }
        }
    }

    @Test
    void what_is_settled_stays_settled_when_the_log_is_written_anew() throws IOException {
        try (KeyMint mint = open("mint")) {
            mint.keyFor("order 0");
            for (int order = 1; order <= 3 * COMPACT_AFTER; order++) {
                mint.keyFor("order " + order);
                mint.settled("order " + order);

                try (KeyMint afterCrash = openCopy(order)) {
                    assertThat(afterCrash.unsettled()).isEqualTo(List.of("order 0"));
                    assertThat(sequence(afterCrash.keyFor("another"))).isEqualTo(order + 2);
                }
            }
        }
    }

    private static long sequence(IdempotencyKey key) {
        return key.minted().orElseThrow().sequence();
    }

    private KeyMint open(String name) {
        return KeyMint.open(directory.resolve(name), "desk-1", new SecureRandom(), COMPACT_AFTER);
    }

    /** Opens what a process would find now that comes after this one. */
    private KeyMint openCopy(int number) throws IOException {
        String name = "copy-" + number;
        Files.copy(directory.resolve("mint"), directory.resolve(name));
        return open(name);
    }
}
