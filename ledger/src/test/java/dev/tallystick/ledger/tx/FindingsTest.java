package dev.tallystick.ledger.tx;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a verification reports: the stream, and the transaction if there is one. */
class FindingsTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final StreamId NOTE = StreamId.of("notes", "n");
    private static final int VERSIONS = 4;

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private Ledger ledger;
    private List<LogEntry> log;

    /** Stores every object in its own file, so that each can be damaged alone. */
    @BeforeEach
    void write_a_ledger_of_loose_objects() throws IOException {
        repository = scratch.resolve("ledger.git");
        ledger = Ledger.init(repository, root, LedgerOptions.defaults());
        TxHash head = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
        head = done(ledger, patch(ORDER, head, "[{\"op\":\"add\",\"path\":\"/m\",\"value\":2}]"));
        head = done(ledger, delete(ORDER, head));
        done(ledger, put(ORDER, head, "{\"n\":4}"));
        done(ledger, put(NOTE, TxHash.NONE, "\"only one\""));
        log = ledger.log(ORDER, Integer.MAX_VALUE, 10).reversed();
        explode();
        assertThat(findings()).isEmpty();
    }

    @AfterEach
    void close() throws IOException {
        ledger.close();
    }

    @Test
    void a_damaged_transaction_is_named_by_stream_and_version() throws IOException {
        for (int version = 1; version <= VERSIONS; version++) {
            String name = Integer.toString(version);
            Path object = object(directory(ORDER) + "/1/" + version);
            byte[] original = damage(object);
            assertThat(findings()).as("version %s", name).anySatisfy(finding -> {
                assertThat(finding.kind()).isEqualTo(Finding.Kind.STREAM);
                assertThat(finding.where()).isEqualTo("orders/o-1");
                assertThat(finding.transaction()).isEqualTo(name);
            });
            Files.write(object, original);
        }
    }

    @Test
    void a_stream_of_which_no_transaction_can_be_read_is_named_by_its_path() throws IOException {
        damage(object(directory(NOTE) + "/1/1"));
        assertThat(findings()).anySatisfy(finding -> {
            assertThat(finding.where()).isEqualTo(directory(NOTE));
            assertThat(finding.transaction()).isEqualTo("1");
        });
    }

    @Test
    void a_damaged_head_or_directory_is_named_by_its_stream() throws IOException {
        for (String part : List.of("/HEAD", "/1")) {
            Path object = object(directory(ORDER) + part);
            byte[] original = damage(object);
            assertThat(findings()).as(part).anySatisfy(finding -> {
                assertThat(finding.kind()).isEqualTo(Finding.Kind.STREAM);
                assertThat(finding.where()).isIn("orders/o-1", directory(ORDER));
            });
            Files.write(object, original);
        }
    }

    @Test
    void a_transaction_that_was_replaced_is_named_by_its_own_id() throws IOException {
        Path work = workingCopy();
        Files.copy(
                work.resolve(directory(ORDER) + "/1/1"),
                work.resolve(directory(ORDER) + "/1/4"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        push(work);
        Ulid first = log.getFirst().tx().txId();
        assertThat(findings()).anySatisfy(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.HISTORY);
            assertThat(finding.where()).isEqualTo("orders/o-1");
            assertThat(finding.transaction()).isEqualTo(first.toString());
        });
        assertThat(findings()).anySatisfy(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.STREAM);
            assertThat(finding.where()).isEqualTo("orders/o-1");
            assertThat(finding.transaction()).isEqualTo(first.toString());
            assertThat(finding.detail()).contains("HEAD does not name the newest transaction");
        });
    }

    @Test
    void a_transaction_in_a_stream_that_is_not_its_own_is_named() throws IOException {
        Path work = workingCopy();
        for (String file : List.of("/1/1", "/HEAD")) {
            Files.copy(
                    work.resolve(directory(NOTE) + file),
                    work.resolve(directory(ORDER) + file),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        push(work);
        Ulid note = ledger.log(NOTE, 1, 1).getFirst().tx().txId();
        assertThat(findings()).anySatisfy(finding -> {
            assertThat(finding.where()).isEqualTo("orders/o-1");
            assertThat(finding.transaction()).isEqualTo(note.toString());
        });
    }

    @Test
    void a_stream_that_was_removed_is_named() throws IOException {
        Path work = workingCopy();
        Native.git(work, "rm", "-r", "-q", directory(ORDER));
        push(work);
        assertThat(findings()).anySatisfy(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.HISTORY);
            assertThat(finding.where()).isEqualTo("orders/o-1");
            assertThat(finding.detail()).contains("was removed");
        });
    }

    private List<Finding> findings() throws IOException {
        return Verifier.verify(repository, Trust.in(root.publicKey().line()), Verifier.Depth.DEEP)
                .findings();
    }

    private static String directory(StreamId stream) {
        return String.join("/", stream.path());
    }

    private Path object(String path) {
        String id = Native.git(repository, "rev-parse", "main:" + path).strip();
        return repository.resolve("objects/" + id.substring(0, 2) + "/" + id.substring(2));
    }

    /** Overwrites the middle of an object; returns the original bytes. */
    private static byte[] damage(Path object) throws IOException {
        byte[] original = Files.readAllBytes(object);
        byte[] damaged = original.clone();
        damaged[damaged.length / 2] ^= 0x10;
        object.toFile().setWritable(true);
        Files.write(object, damaged);
        return original;
    }

    private void explode() throws IOException {
        Path aside = Files.createDirectory(scratch.resolve("packs"));
        try (var files = Files.list(repository.resolve("objects/pack"))) {
            for (Path file : files.toList()) {
                Files.move(file, aside.resolve(file.getFileName()));
            }
        }
        try (var files = Files.list(aside)) {
            for (Path pack :
                    files.filter(file -> file.toString().endsWith(".pack")).toList()) {
                Native.Result result =
                        Native.run(repository, java.util.Map.of(), "sh", "-c", "git unpack-objects -q < " + pack);
                assertThat(result.status()).as(result.output()).isZero();
            }
        }
    }

    private Path workingCopy() {
        Path work = scratch.resolve("work");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        return work;
    }

    private static void push(Path work) {
        Native.git(work, "commit", "-q", "-a", "-m", "a small correction");
        Native.git(work, "push", "-q", "origin", "main");
    }
}
