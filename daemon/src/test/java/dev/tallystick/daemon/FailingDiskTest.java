package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fails to force what was written, where strace can play it. */
class FailingDiskTest {

    @TempDir
    Path folder;

    @Test
    void a_failed_fsync_is_reported_as_unknown_and_recovers_without_help() throws Exception {
        assumeThat(Path.of("/usr/bin/strace")).exists();
        Path directory = folder.resolve("d");
        AtomicInteger number = new AtomicInteger();
        try (ChildJvm child = ChildJvm.of(DaemonChild.class)
                .start(directory.toString(), DaemonUnderTest.NOWHERE.toString(), "none", "false")) {
            child.awaitLine(DaemonChild.READY::equals);
            assertThat(send(directory, "before").status()).isEqualTo(202);

            Path trace = folder.resolve("trace");
            Process strace = new ProcessBuilder(
                            "strace",
                            "-f",
                            "-p",
                            Long.toString(child.pid()),
                            "-e",
                            "trace=fsync,fdatasync",
                            "-e",
                            "inject=fsync,fdatasync:error=EIO",
                            "-o",
                            trace.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("strace.out").toFile())
                    .start();
            try {
                assumeThat(strace.waitFor(300, TimeUnit.MILLISECONDS))
                        .as("strace may attach")
                        .isFalse();
                LocalClient.Reply failed = Eventually.value(
                        "a send fails",
                        () -> send(directory, "during-" + number.incrementAndGet()),
                        reply -> reply.status() != 202);
                assertThat(failed.status()).isEqualTo(503);
                assertThat(text(failed, "code")).isEqualTo("outcome_unknown");
                assertThat(text(failed, "client_message_id")).isEqualTo("during-" + number.get());
                assertThat(Files.readString(trace)).contains("EIO");
            } finally {
                strace.destroy();
                assertThat(strace.waitFor(30, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(send(directory, "during-" + number.get()).status()).isEqualTo(202);
            assertThat(send(directory, "after").status()).isEqualTo(202);
            child.kill();
        }
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            assertThat(daemon.outbox().list(null, 0, 1_000))
                    .extracting(row -> row.key().value())
                    .contains("before", "during-" + number.get(), "after")
                    .doesNotHaveDuplicates();
        }
    }

    private static LocalClient.Reply send(Path directory, String key) {
        Json.ObjectValue body = message("topic:a", key);
        return DaemonUnderTest.send(directory, key, body);
    }
}
