package dev.tallystick.log.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.log.Logs;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that are made while the log grows. */
class CopiedLogTest {

    private static final int JOBS = 10;

    @TempDir
    Path scratch;

    private Logs logs;
    private Anchor copied;
    private Path copy;

    @BeforeEach
    void copyCheckpoint() throws IOException {
        logs = Logs.in(scratch.resolve("log"));
        logs.sealSecret();
        logs.sealJobs(0, JOBS);
        copied = logs.log.anchor();
        copy = Files.createDirectory(scratch.resolve("copy"));
        Files.copy(logs.path.resolve("checkpoint"), copy.resolve("checkpoint"));
    }

    private void copyRest() throws IOException {
        logs.close();
        try (Stream<Path> all = Files.walk(logs.path)) {
            for (Path file : all.toList()) {
                Path to = copy.resolve(logs.path.relativize(file).toString());
                if (!Files.exists(to)) {
                    Files.copy(file, to);
                }
            }
        }
    }

    private void theCopyIsTheLogOfItsCheckpoint() throws IOException {
        try (LogDirectory log = Logs.reopen(copy, copied)) {
            assertThat(log.size()).isEqualTo(copied.size());
            assertThat(log.snapshot()
                            .prove(Logs.MEMBER.tag("accept", "key-3", 0))
                            .leaf())
                    .isNotNull();
            BatchPlan plan = log.plan(List.of(Logs.accepted("another", "another")));
            log.write(plan);
            log.commit(plan, Logs.SIGNER.sign(plan.note()));
        }
        assertThat(LogAudit.audit(copy, Logs.SIGNER.key(), new MemberAudit()).findings())
                .isEmpty();
    }

    /** 24 entries were there: 1 batch leaves their tail, 2 leave a later one, many fill the bundle, and more than one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 20, 80})
    void a_copy_of_a_growing_log_is_cut_to_its_checkpoint(int batches) throws IOException {
        for (int i = 1; i <= batches; i++) {
            logs.sealJobs(i * JOBS, JOBS);
        }
        copyRest();

        CopiedLog.cut(copy);
        CopiedLog.cut(copy);

        theCopyIsTheLogOfItsCheckpoint();
    }

    @Test
    void tiles_beyond_the_checkpoint_are_deleted_in_all_directories() throws IOException {
        copyRest();
        for (String tile :
                List.of("entries/007", "entries/x002/001", "0/x001/000", "0/x002/003", "1/000", "0/x001/x000/000")) {
            Path file = copy.resolve("tile").resolve(tile);
            Files.createDirectories(file.resolveSibling(""));
            Files.writeString(file, "anything");
        }

        CopiedLog.cut(copy);

        theCopyIsTheLogOfItsCheckpoint();
    }

    @Test
    void a_copy_without_its_tail_and_without_a_later_file_is_refused_when_it_is_opened() throws IOException {
        copyRest();
        Files.delete(copy.resolve("tail/" + copied.size()));

        CopiedLog.cut(copy);

        assertThatThrownBy(() -> Logs.reopen(copy, copied))
                .isInstanceOf(LogAlarm.class)
                .hasMessageContaining("is missing");
    }
}
