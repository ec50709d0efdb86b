package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cost of a commit does not depend on its contents. */
class GroupCommitTest {

    private static final int WRITES = 500;
    private static final int FORCES = 6;

    @TempDir(factory = Memory.class)
    Path scratch;

    private Path repository;

    @BeforeEach
    void init() throws IOException {
        repository = scratch.resolve("ledger.git");
        Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults()).close();
    }

    @Test
    void a_batch_is_one_commit_in_one_pack_with_the_same_few_forces_however_many_it_carries() throws Exception {
        Strace.Run run = Strace.record(scratch, ManyAtOnce.class, repository.toString());
        assertThat(run.lines()).last().isEqualTo("appended " + WRITES);
        Map<String, Integer> forces = Strace.callsOfOneThread(run, repository, List.of("fsync", "fdatasync"));
        long commits = Native.git(repository, "rev-list", "main").lines().count() - 1;
        assertThat(commits).isLessThan(WRITES / 10);
        assertThat(forces.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(FORCES * (int) commits);
        try (var files = Files.list(repository.resolve("objects/pack"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".pack"))).hasSize((int) commits + 1);
        }
        Native.accepts(repository, scratch);
    }

    /** A process with many concurrent writes. */
    static final class ManyAtOnce {

        public static void main(String[] arguments) throws Exception {
            try (Ledger ledger = Ledger.open(Path.of(arguments[0]), LedgerOptions.defaults())) {
                List<CompletableFuture<Append>> answers = new ArrayList<>();
                for (int i = 0; i < WRITES; i++) {
                    answers.add(ledger.submit(put(StreamId.of("many", "s" + i), TxHash.NONE, "1")));
                }
                long appended = 0;
                for (CompletableFuture<Append> answer : answers) {
                    appended += answer.get() instanceof Append.Appended ? 1 : 0;
                }
                System.out.println("appended " + appended);
            }
        }
    }
}
