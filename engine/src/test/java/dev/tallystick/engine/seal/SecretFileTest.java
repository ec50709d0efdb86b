package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {

    private static final int SERVERS = 8;

    @TempDir
    Path directory;

    /** A server that seals with a key that is not in the file raises the alarm after its next start. */
    @Test
    void servers_that_start_together_have_one_secret() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path file = directory.resolve("secret-" + round);
            CountDownLatch start = new CountDownLatch(1);
            List<Future<String>> made = new ArrayList<>();
            try (ExecutorService executor = Executors.newFixedThreadPool(SERVERS)) {
                for (int i = 0; i < SERVERS; i++) {
                    String fresh = "secret of server " + i;
                    made.add(executor.submit(() -> {
                        start.await();
                        return SecretFile.readOrMake(file, () -> fresh);
                    }));
                }
                start.countDown();
            }
            Set<String> secrets = new HashSet<>();
            for (Future<String> each : made) {
                secrets.add(each.get());
            }
            assertThat(secrets).containsExactly(Files.readString(file).strip());
        }
    }

    @Test
    void only_its_owner_may_read_a_secret() throws IOException {
        Path file = directory.resolve("secret");
        assertThat(SecretFile.readOrMake(file, () -> "s")).isEqualTo("s");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

        assertThatThrownBy(() -> SecretFile.readOrMake(file, () -> "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chmod 600 " + file);
    }
}
