package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills the writer in place of every call that forces or renames something, one by one. */
class KillTest {

    private static final List<String> CALLS = List.of("fsync", "fdatasync", "rename", "link");

    @TempDir(factory = Memory.class)
    Path scratch;

    private Path repository;
    private String rootKey;

    @BeforeEach
    void init() throws IOException {
        repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        rootKey = root.publicKey().line();
        Ledger.init(repository, root, LedgerOptions.defaults()).close();
    }

    @Test
    void a_kill_at_any_force_or_rename_loses_nothing_and_needs_no_help() throws Exception {
        Strace.Run whole = Strace.record(scratch, OneWriter.class, repository.toString(), "1");
        assertThat(whole.acknowledged()).isEqualTo(1);
        Map<String, Integer> calls = Strace.callsOfOneThread(whole, repository, CALLS);
        assertThat(calls.getOrDefault("fsync", 0) + calls.getOrDefault("fdatasync", 0))
                .as("forces of an append")
                .isEqualTo(6);

        int kills = 0;
        int version = 1;
        for (Map.Entry<String, Integer> call : calls.entrySet()) {
            for (int n = 1; n <= call.getValue(); n++) {
                Strace.Run run = Strace.killAt(scratch, call.getKey(), n, OneWriter.class, repository.toString(), "1");
                assertThat(run.lines()).as("%s %d", call.getKey(), n).contains("begin " + (version + 1));
                assertThat(run.calls().getLast().line()).contains("killed by SIGKILL");
                assertThat(run.acknowledged()).as("killed before the answer").isZero();
                kills++;
                version = recover(version);
            }
        }
        assertThat(kills)
                .isEqualTo(calls.values().stream().mapToInt(Integer::intValue).sum());
        Native.accepts(repository, scratch);
    }

    @Test
    void a_force_that_fails_is_never_acknowledged() throws Exception {
        Strace.Run whole = Strace.record(scratch, OneWriter.class, repository.toString(), "1");
        int version = 1;
        for (String call : List.of("fsync", "fdatasync")) {
            int forces = Strace.callsOfOneThread(whole, repository, CALLS).getOrDefault(call, 0);
            for (int n = 1; n <= forces; n++) {
                Strace.Run run = Strace.failAt(scratch, call, n, TwoTries.class, repository.toString());
                String first = run.lines().getFirst();
                String second = run.lines().getLast();
                // Before main moves, the failure is definite. After a failed force of the ref, a later force may report
                // a success that means nothing.
                boolean ref = call.equals("fsync") && n == forces;
                assertThat(first).as("%s %d", call, n).startsWith(ref ? "Unavailable" : "Refused");
                assertThat(second).as("%s %d", call, n).startsWith(ref ? "Unavailable" : "Appended");
                version = recover(version);
            }
        }
        assertThat(version).isEqualTo(1 + 6);
    }

    /** The killed append happened or did not; repeating it tells, and afterwards it has happened once. */
    private int recover(int version) throws IOException {
        assertThat(Verifier.verify(repository, Trust.in(rootKey), Verifier.Depth.DEEP)
                        .findings())
                .isEmpty();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            TxHash parent = ledger.log(OneWriter.STREAM, version, 1).getFirst().hash();
            TxHash head = Writes.done(ledger, OneWriter.write(version + 1, parent));
            List<LogEntry> log = ledger.log(OneWriter.STREAM, Integer.MAX_VALUE, 1_000);
            assertThat(log)
                    .hasSize(version + 1)
                    .extracting(entry -> entry.tx().txId())
                    .doesNotHaveDuplicates();
            assertThat(log.getFirst().hash()).isEqualTo(head);
        }
        return version + 1;
    }

    /** Tries a write, and repeats it once unless it was answered Appended. */
    static final class TwoTries {

        public static void main(String[] arguments) throws Exception {
            try (Ledger ledger = Ledger.open(Path.of(arguments[0]), LedgerOptions.defaults())) {
                int version =
                        ledger.log(OneWriter.STREAM, Integer.MAX_VALUE, 1_000).size();
                Write write = OneWriter.write(
                        version + 1, ledger.read(OneWriter.STREAM).head());
                System.out.println(ledger.append(write));
                System.out.println(ledger.append(write));
            }
        }
    }
}
