package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A deep verification uses a bounded amount of memory, however much there is to read. */
class VerifierMemoryTest {

    @TempDir(factory = Memory.class)
    Path scratch;

    @Test
    void a_ledger_larger_than_the_memory_is_verified() throws Exception {
        assertVerifiedWith("-Xmx24m", write(2_000, 200, 200, 20_000), 2_000);
    }

    @Test
    @Tag("campaign")
    void a_hundred_thousand_transactions_are_verified_in_150_megabytes() throws Exception {
        assertVerifiedWith("-Xmx150m", write(100_000, 20_000, 1_000, 150), 100_000);
    }

    @Test
    @Tag("campaign")
    void a_hundred_thousand_commits_are_verified_in_150_megabytes() throws Exception {
        assertVerifiedWith("-Xmx150m", write(100_000, 10, 1, 150), 100_000);
    }

    private static void assertVerifiedWith(String memory, Path repository, int transactions) throws Exception {
        try (ChildJvm child = ChildJvm.of(Verification.class).with(memory).start(repository.toString())) {
            assertThat(child.awaitLine(line -> line.startsWith("verified "), Duration.ofMinutes(10)))
                    .isEqualTo("verified " + transactions + " []");
        }
    }

    static final class Verification {

        public static void main(String[] arguments) throws IOException {
            Report report = Verifier.verify(Path.of(arguments[0]), Trust.nothing(), Verifier.Depth.DEEP);
            System.out.println("verified " + report.transactions() + " " + report.findings());
        }
    }

    /** A ledger with this many transactions, spread evenly over the streams. */
    private Path write(int transactions, int streams, int batch, int bytes) throws IOException {
        Path repository = scratch.resolve("ledger.git");
        TxHash[] heads = new TxHash[streams];
        Arrays.fill(heads, TxHash.NONE);
        try (Ledger ledger = Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults())) {
            for (int i = 0; i < transactions; i += batch) {
                List<CompletableFuture<Append>> answers = new ArrayList<>();
                for (int j = i; j < i + batch; j++) {
                    Json body = Json.of("%06d".formatted(j).repeat(bytes / 6));
                    StreamId stream = StreamId.of("orders", "order-" + j % streams);
                    answers.add(
                            ledger.submit(new Write(stream, new Change.Put(body), heads[j % streams], Writes.id())));
                }
                for (int j = i; j < i + batch; j++) {
                    heads[j % streams] = ((Append.Appended) answers.get(j - i).join()).head();
                }
            }
        }
        return repository;
    }
}
