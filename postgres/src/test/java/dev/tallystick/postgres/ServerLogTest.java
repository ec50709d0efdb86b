package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {

    @Test
    void a_log_beyond_its_maximum_keeps_its_newest_part_and_its_writer(@TempDir Path directory) throws IOException {
        ServerLog log = new ServerLog(directory.resolve("server.log"));
        log.create();
        try (var writer = Files.newOutputStream(log.file(), StandardOpenOption.APPEND)) {
            for (long written = 0; written <= ServerLog.MAX_BYTES; written += 1000) {
                writer.write(("x".repeat(999) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
            writer.write("newest\n".getBytes(StandardCharsets.US_ASCII));

            log.trim();
            writer.write("and on\n".getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(log.end()).isEqualTo(ServerLog.KEPT_BYTES + "and on\n".length());
        assertThat(log.lastWordsSince(0).subList(18, 20)).containsExactly("newest", "and on");
        assertThat(log.lastWordsSince(ServerLog.MAX_BYTES).getLast())
                .as("since a mark that was cut off")
                .isEqualTo("and on");
    }

    @Test
    void a_small_log_is_left_alone(@TempDir Path directory) throws IOException {
        ServerLog log = new ServerLog(directory.resolve("server.log"));
        Files.writeString(log.file(), "one\ntwo\n");

        log.create();
        long mark = log.end();
        Files.writeString(log.file(), "three\n", StandardOpenOption.APPEND);

        assertThat(log.lastWordsSince(mark)).containsExactly("three");
    }
}
