package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.git.FormatFuzzing;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packs, indexes, loose objects, commits, trees, transactions, receipts, anchors and key files with random changes: each is
 * read or refused in words, soon and in little memory. A failure names its seed; {@code -Dtally.seed} begins there.
 */
class FormatFuzzTest {

    private static final long SEED = Long.getLong("tally.seed", 1);
    private static final int INPUTS = 3_000;
    private static final int CAMPAIGN = Integer.getInteger("tally.fuzz", 1_000_000);

    @TempDir(factory = Memory.class)
    Path scratch;

    @Test
    void whatever_is_read_is_understood_or_refused() throws Exception {
        fuzz(INPUTS, Duration.ofMinutes(2));
    }

    @Test
    @Tag("campaign")
    void a_million_inputs_are_understood_or_refused() throws Exception {
        fuzz(CAMPAIGN, Duration.ofHours(2));
    }

    private void fuzz(int inputs, Duration limit) throws Exception {
        SmallLedger small = SmallLedger.make(scratch);
        Path anchor = scratch.resolve("anchor.json");
        String receipt;
        try (Ledger ledger = Ledger.open(small.repository(), LedgerOptions.defaults())) {
            receipt = ledger.receipt(SmallLedger.STREAMS.getFirst(), 1)
                    .orElseThrow()
                    .text();
            new FileAnchor(anchor).advance(ledger.head());
        }
        try (ChildJvm child = ChildJvm.of(FormatFuzzing.class)
                .with("-Xmx64m")
                .start(
                        small.repository().toString(),
                        small.trust().rootKey(),
                        privateKey(small.repository()),
                        receipt,
                        Files.readString(anchor),
                        Long.toString(SEED),
                        Integer.toString(inputs))) {
            String end = child.awaitLine(line -> line.startsWith("fuzzed "), limit);
            List<String> failures = child.lines().stream()
                    .filter(line -> line.startsWith("failure: "))
                    .toList();
            assertThat(failures).isEmpty();
            assertThat(end).isEqualTo("fuzzed " + inputs + ", 0 failures");
        }
    }

    private static String privateKey(Path repository) throws IOException {
        try (Stream<Path> keys = Files.list(repository.resolve("tally/keys"))) {
            return Files.readString(keys.sorted().findFirst().orElseThrow());
        }
    }
}
