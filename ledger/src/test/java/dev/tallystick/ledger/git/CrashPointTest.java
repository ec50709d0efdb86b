package dev.tallystick.ledger.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.OneWriter;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.HaltAt;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Halts a writer at each named point; then nothing acknowledged may be lost and nothing may have happened twice. */
class CrashPointTest {

    private static final int ENOUGH_TO_JOIN_PACKS = PackJoiner.FAN_IN + 5;

    @TempDir(factory = Memory.class)
    Path scratch;

    @ParameterizedTest
    @EnumSource(LedgerCrashPoint.class)
    void a_crash_at_any_point_loses_nothing_acknowledged(LedgerCrashPoint point) throws Exception {
        Path repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        Ledger.init(repository, root, LedgerOptions.defaults()).close();

        int arrival = point == LedgerCrashPoint.PACKS_JOINED ? 1 : 3;
        List<String> acknowledged;
        try (ChildJvm child =
                ChildJvm.of(Writer.class).haltingAt(point, arrival).start(repository.toString())) {
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
            acknowledged = child.lines().stream()
                    .filter(line -> line.startsWith("appended "))
                    .toList();
        }

        Trust trust = Trust.in(root.publicKey().line());
        assertThat(Verifier.verify(repository, trust, Verifier.Depth.DEEP).findings())
                .isEmpty();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            List<LogEntry> log = ledger.log(OneWriter.STREAM, Integer.MAX_VALUE, 1_000);
            assertThat(log.size()).isBetween(acknowledged.size(), acknowledged.size() + 1);
            if (!acknowledged.isEmpty()) {
                String last = acknowledged.getLast().split(" ", 2)[1];
                assertThat(log.get(log.size() - acknowledged.size()).hash().hex())
                        .isEqualTo(last);
            }
            int next = acknowledged.size() + 1;
            TxHash parent = next == 1
                    ? TxHash.NONE
                    : ledger.log(OneWriter.STREAM, next - 1, 1).getFirst().hash();
            Writes.done(ledger, OneWriter.write(next, parent));
            assertThat(ledger.log(OneWriter.STREAM, Integer.MAX_VALUE, 1_000)).hasSize(next);
        }
        Native.accepts(repository, scratch);
    }

    /** Appends until it dies. */
    static final class Writer {

        public static void main(String[] arguments) throws Exception {
            LedgerOptions options = LedgerOptions.defaults().withCrashPoints(HaltAt.configured());
            try (Ledger ledger = Ledger.open(Path.of(arguments[0]), options)) {
                TxHash head = TxHash.NONE;
                for (int version = 1; version <= ENOUGH_TO_JOIN_PACKS * 10; version++) {
                    head = Writes.done(ledger, OneWriter.write(version, head));
                    System.out.println("appended " + head);
                }
            }
        }
    }
}
