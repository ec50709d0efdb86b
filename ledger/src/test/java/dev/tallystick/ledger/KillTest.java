package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills the writer in place of every call that forces or renames something, one after the other. */
class KillTest {

    private static final List<String> CALLS = List.of("fsync", "fdatasync", "rename", "link");

    @TempDir
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
    void a_kill_at_any_force_or_rename_loses_nothing_and_needs_nobody() throws Exception {
        Strace.Run whole = Strace.record(scratch, OneWriter.class, repository.toString(), "1");
        assertThat(whole.acknowledged()).isEqualTo(1);
        Map<String, Integer> calls = callsOfOneThread(whole.calls());
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

    /** The append that was killed happened or did not; repeating it tells, and afterwards it has happened once. */
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

    /** Counts the calls of the thread that forces; no other thread may force anything. */
    private Map<String, Integer> callsOfOneThread(List<Strace.Call> trace) {
        Pattern line = Pattern.compile("(\\d+) +(\\w+)\\(.*" + Pattern.quote(repository.toString()) + ".*");
        Map<String, Integer> calls = new LinkedHashMap<>();
        CALLS.forEach(call -> calls.put(call, 0));
        String thread = "";
        for (Strace.Call call : trace) {
            Matcher matcher = line.matcher(call.line());
            if (matcher.matches() && calls.containsKey(matcher.group(2))) {
                thread = thread.isEmpty() ? matcher.group(1) : thread;
                assertThat(matcher.group(1)).as(call.line()).isEqualTo(thread);
                calls.merge(matcher.group(2), 1, Integer::sum);
            }
        }
        return calls;
    }
}
