package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tampers with a small ledger in every way; verification with anchor and root key must detect it. */
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
    void files_that_make_git_show_something_else_are_refused() throws IOException {
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
    void a_history_rewritten_with_another_key_is_seen() throws IOException {
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

    @Test
    void changes_by_a_commit_without_a_root_are_seen_at_every_depth() throws IOException {
        Path work = scratch.resolve("work");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        String before = Native.git(work, "rev-parse", "HEAD").strip();
        List<String> edits = List.of(
                "find documents -name HEAD | head -1 | xargs sh -c 'echo 0000 > $0'",
                "for f in $(find documents -path '*/1/*' -type f); do printf x >> $f; done",
                "rm -r $(find documents -type d -name 'DOC_*' | head -1)",
                "rm -r documents",
                "echo more >> keys/1",
                "echo foo > keys/foo",
                "cp keys/1 keys/3",
                "rm keys/2",
                "echo '{}' > schemas/orders/1",
                "echo '{}' > schemas/orders/2",
                "rm -r schemas");
        for (String edit : edits) {
            assertThat(Native.run(work, Map.of(), "sh", "-c", edit).status()).isZero();
            Native.git(work, "add", "-A");
            Native.git(work, "commit", "-q", "-m", "a small correction");
            Native.git(work, "push", "-q", "origin", "main");
            assertSeenAtEveryDepth(edit);
            Native.git(work, "reset", "-q", "--hard", before);
            Native.git(repository, "update-ref", "refs/heads/main", before);
        }
    }

    @Test
    void a_forged_commit_with_a_root_is_seen_at_every_depth() throws IOException {
        String before = Native.git(repository, "rev-parse", "main").strip();
        Write write = put(StreamId.of("orders", "forged"), TxHash.NONE, "{}");
        for (Forgery.Alteration forgery : List.of(Forgery.unsigned(), new Forgery.Alteration())) {
            Forgery.in(repository).append(write, SigningKey.generate(), forgery);
            assertSeenAtEveryDepth(forgery.toString());
            Native.git(repository, "update-ref", "refs/heads/main", before);
        }
    }

    @Test
    void an_anchored_commit_that_was_replaced_by_an_unsigned_one_is_seen_at_every_depth() throws IOException {
        String main = Native.git(repository, "cat-file", "commit", "main");
        Files.writeString(
                scratch.resolve("unsigned"),
                main.replaceFirst("(?s)gpgsig .*?-----END SSH SIGNATURE-----\n", "")
                        .replaceFirst(
                                "tree [0-9a-f]+",
                                "tree "
                                        + Native.git(repository, "rev-parse", "main~1^{tree}")
                                                .strip()));
        String forged = Native.git(
                        repository,
                        "hash-object",
                        "-t",
                        "commit",
                        "-w",
                        scratch.resolve("unsigned").toString())
                .strip();
        Native.git(repository, "update-ref", "refs/heads/main", forged);
        assertSeenAtEveryDepth("another commit with the anchored root");
    }

    private void assertSeenAtEveryDepth(String what) throws IOException {
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            assertThat(Verifier.verify(repository, trust, depth).findings())
                    .as("%s, %s", what, depth)
                    .isNotEmpty();
        }
    }

    @Test
    void a_version_that_claims_a_huge_number_is_seen_without_counting_up_to_it() throws IOException {
        Path work = scratch.resolve("work");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        String bomb =
                "d=$(find documents -type d -name 'DOC_*' | head -1)/9/9/9/9/9/9/9/9/9; mkdir -p $d; printf x > $d/999999999";
        assertThat(Native.run(work, Map.of(), "sh", "-c", bomb).status()).isZero();
        Native.git(work, "add", "-A");
        Native.git(work, "commit", "-q", "-m", "one byte");
        Native.git(work, "push", "-q", "origin", "main");
        assertSeenAtEveryDepth("a version 999999999");
    }

    /** The ledger's answers; empty if reading detects the damage. */
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
