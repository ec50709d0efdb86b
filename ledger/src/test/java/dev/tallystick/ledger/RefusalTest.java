package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.ledger.git.LedgerCrashPoint;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write that cannot have happened is refused; only one that may have happened is answered as unknown. */
class RefusalTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");

    @TempDir(factory = Memory.class)
    Path scratch;

    private Path repository;
    private TxHash head;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, TxHash.NONE, "1"));
        }
    }

    /** What goes wrong at some point of a write. */
    private interface Mishap {
        void happen() throws IOException;
    }

    @Test
    void a_pack_that_cannot_be_written_is_a_refusal() throws IOException {
        Path packs = repository.resolve("objects/pack");
        Path aside = scratch.resolve("aside");
        assertRefused(LedgerCrashPoint.BEFORE_OBJECTS, () -> {
            Files.move(packs, aside);
            Files.writeString(packs, "in the way");
        });
        Files.delete(packs);
        Files.move(aside, packs);
        assertWritten();
    }

    @Test
    void a_lock_that_cannot_be_made_is_a_refusal() throws IOException {
        assertRefused(LedgerCrashPoint.OBJECTS_FORCED, () -> Files.delete(repository.resolve("tally/main.next")));
        assertWritten();
    }

    @Test
    void a_ref_that_cannot_be_read_under_the_lock_is_a_refusal() throws IOException {
        Path main = repository.resolve("refs/heads/main");
        String honest = Files.readString(main);
        assertRefused(LedgerCrashPoint.REF_LOCKED, () -> Files.writeString(main, "nothing\n"));
        Files.writeString(main, honest);
        assertWritten();
    }

    @Test
    void a_directory_that_cannot_be_forced_after_the_move_leaves_the_outcome_open() throws IOException {
        Path heads = repository.resolve("refs/heads");
        Path aside = scratch.resolve("aside");
        assertThat(answer(LedgerCrashPoint.REF_MOVED, () -> Files.move(heads, aside)))
                .isInstanceOf(Append.Unavailable.class);
        Files.move(aside, heads);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(ledger.read(ORDER).head()).isNotEqualTo(head);
        }
    }

    private void assertRefused(LedgerCrashPoint point, Mishap mishap) throws IOException {
        assertThat(answer(point, mishap)).isInstanceOf(Append.Refused.class);
    }

    /** What a write is answered, during which something goes wrong. */
    private Append answer(LedgerCrashPoint point, Mishap mishap) throws IOException {
        CrashPoints points = reached -> {
            if (reached == point) {
                try {
                    mishap.happen();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults().withCrashPoints(points))) {
            return ledger.append(put(ORDER, head, "2"));
        }
    }

    /** Nothing was written, and nothing is in the way of the next write. */
    private void assertWritten() throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(ledger.read(ORDER).head()).isEqualTo(head);
            done(ledger, put(ORDER, head, "3"));
        }
    }
}
