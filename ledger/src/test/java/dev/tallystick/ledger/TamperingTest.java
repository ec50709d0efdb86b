package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Does to a small ledger whatever can be done to it, and demands that verification with anchor and root key sees it. */
class TamperingTest {

    @TempDir
    Path scratch;

    private SmallLedger ledger;
    private Path repository;
    private Trust trust;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        ledger = SmallLedger.make(scratch);
        repository = ledger.repository();
        trust = ledger.trust();
    }

    @Test
    void swapped_objects_are_seen() throws IOException {
        List<Path> loose = ledger.files().stream()
                .filter(file -> file.toString().matches(".*/objects/../.{38}"))
                .toList();
        assertThat(loose).hasSizeGreaterThan(1);
        List<Object> answers = ledger.answers();
        for (int i = 1; i < loose.size(); i++) {
            byte[] one = Files.readAllBytes(loose.get(i - 1));
            byte[] other = Files.readAllBytes(loose.get(i));
            overwrite(loose.get(i - 1), other);
            overwrite(loose.get(i), one);
            assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.OBJECT);
            assertThat(answersOrDamage()).isIn(answers, List.of());
            overwrite(loose.get(i - 1), one);
            overwrite(loose.get(i), other);
        }
    }

    @Test
    void a_ref_rolled_back_is_seen() throws IOException {
        for (String earlier :
                Native.git(repository, "rev-list", "main").lines().skip(1).toList()) {
            Native.git(repository, "update-ref", "refs/heads/main", earlier);
            assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.ANCHOR);
            assertThat(Verifier.verify(repository, trust, Verifier.Depth.QUICK).findings())
                    .extracting(Finding::kind)
                    .contains(Finding.Kind.ANCHOR);
        }
    }

    @Test
    void what_makes_git_show_something_else_is_refused() throws IOException {
        String main = Native.git(repository, "rev-parse", "main").strip();
        String parent = Native.git(repository, "rev-parse", "main~1").strip();
        Map<String, String> files = Map.of(
                "objects/info/alternates",
                scratch.resolve("elsewhere").toString() + "\n",
                "info/grafts",
                main + "\n",
                "refs/replace/" + main,
                parent + "\n",
                "shallow",
                main + "\n");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = repository.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
            assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.REPOSITORY);
            assertThat(org.assertj.core.api.Assertions.catchThrowable(() ->
                            Ledger.open(repository, LedgerOptions.defaults()).close()))
                    .isInstanceOf(NotALedgerException.class);
            Files.delete(path);
            if (file.getKey().startsWith("refs/replace")) {
                Files.delete(path.getParent());
            }
        }
    }

    @Test
    void a_history_that_begins_later_is_seen() throws IOException {
        String tree = Native.git(repository, "rev-parse", "main^{tree}").strip();
        String orphan = Native.git(repository, "commit-tree", tree, "-m", "all that ever was")
                .strip();
        Native.git(repository, "update-ref", "refs/heads/main", orphan);
        assertThat(verify().findings()).isNotEmpty();
    }

    @Test
    void a_history_written_anew_with_another_key_is_seen() throws IOException {
        Path other = scratch.resolve("other.git");
        try (Ledger original = Ledger.open(repository, LedgerOptions.defaults());
                Ledger forged = Ledger.init(other, SigningKey.generate(), LedgerOptions.defaults())) {
            for (StreamId stream : SmallLedger.STREAMS) {
                TxHash head = TxHash.NONE;
                for (LogEntry entry :
                        original.log(stream, Integer.MAX_VALUE, 100).reversed()) {
                    Change change = original.readAt(stream, entry.version()) instanceof Document.Present present
                            ? new Change.Put(present.body())
                            : new Change.Delete();
                    head = done(
                            forged, new Write(stream, change, head, entry.tx().txId()));
                }
            }
        }
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            assertThat(Verifier.verify(other, Trust.nothing(), depth).findings())
                    .isEmpty();
            assertThat(Verifier.verify(other, Trust.in(trust.rootKey()), depth).findings())
                    .extracting(Finding::kind)
                    .containsOnly(Finding.Kind.SIGNATURE);
            Trust anchored = Trust.nothing().anchoredAt(trust.position(), trust.root());
            assertThat(Verifier.verify(other, anchored, depth).findings())
                    .extracting(Finding::kind)
                    .containsOnly(Finding.Kind.ANCHOR);
        }
    }

    @Test
    void a_foreign_commit_that_touches_documents_is_seen_and_not_built_upon() throws IOException {
        Path work = scratch.resolve("work");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        Path head;
        try (Stream<Path> files = Files.walk(work.resolve("documents"))) {
            head = files.filter(file -> file.endsWith("HEAD")).findFirst().orElseThrow();
        }
        Files.writeString(head, "0".repeat(64) + "\n");
        Native.git(work, "commit", "-q", "-a", "-m", "a small correction");
        Native.git(work, "push", "-q", "origin", "main");

        assertThat(verify().findings()).extracting(Finding::kind).contains(Finding.Kind.HISTORY);
        try (Ledger opened = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(opened.append(put(StreamId.of("orders", "o-9"), TxHash.NONE, "{}")))
                    .isInstanceOf(Append.Refused.class);
        }
    }

    /** What the ledger answers; nothing if it notices while reading. */
    private List<Object> answersOrDamage() throws IOException {
        try {
            return ledger.answers();
        } catch (DamagedObjectException e) {
            return List.of();
        }
    }

    private Report verify() throws IOException {
        return ledger.verify();
    }

    private static void overwrite(Path file, byte[] bytes) throws IOException {
        file.toFile().setWritable(true);
        Files.write(file, bytes);
    }
}
