package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.copies.Push;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies that diverged in more than documents: schemas, keys, foreign files. They merge, or the refusal says what to do. */
class PartedCopiesTest {

    private static final Collection ORDERS = new Collection("orders");

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path home;
    private Path away;
    private Ledger ours;
    private Ledger theirs;

    @BeforeEach
    void clone_a_ledger_with_files_of_strangers() throws IOException {
        home = scratch.resolve("home.git");
        away = scratch.resolve("away.git");
        ours = Ledger.init(home, root, LedgerOptions.defaults());
        commit(home, Map.of("README", "one\n", "doc/a", "a\n", "doc/b", "b\n", "gone", "1\n"), List.of());
        Trust trust = Trust.in(root.publicKey().line());
        Clone clone = Ledger.cloneFrom(home.toString(), away, trust, LedgerOptions.defaults(), Progress.UNSEEN);
        theirs = ((Clone.Cloned) clone).ledger();
        theirs.addSigningKey(root);
        done(ours, put(StreamId.of("orders", "ours"), TxHash.NONE, "{}"));
        done(theirs, put(StreamId.of("orders", "theirs"), TxHash.NONE, "{}"));
    }

    @AfterEach
    void judge() throws IOException {
        ours.close();
        theirs.close();
        for (Path copy : List.of(home, away)) {
            Trust trust = Trust.in(root.publicKey().line());
            assertThat(Verifier.verify(copy, trust, Verifier.Depth.DEEP).findings())
                    .isEmpty();
            Native.accepts(copy, scratch);
        }
    }

    @Test
    void a_schema_that_both_put_in_force_is_one_schema() throws IOException {
        Json schema = Json.parse("{\"type\":\"object\"}");
        ours.putSchema(ORDERS, schema);
        theirs.putSchema(ORDERS, schema);
        Json stricter = Json.parse("{\"type\":\"object\",\"maxProperties\":9}");
        theirs.putSchema(ORDERS, stricter);
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        assertThat(ours.schema(ORDERS)).contains(stricter);
    }

    @Test
    void two_schemas_under_one_number_are_refused_with_what_to_do() throws IOException {
        CommitId base =
                new CommitId(Native.git(home, "merge-base", "main", fetched()).strip());
        ours.putSchema(ORDERS, Json.parse("{\"type\":\"object\"}"));
        theirs.putSchema(ORDERS, Json.parse("true"));
        assertRefused("both copies put a schema of orders into force", "clone it again", "watch --since " + base.hex());
    }

    @Test
    void a_key_rotated_in_one_copy_is_refused_with_what_to_do_as_is_one_rotated_in_both() throws IOException {
        theirs.rotateKey(SigningKey.generate());
        assertRefused("the key was rotated in one copy", "clone it again", "watch --since ");
        ours.rotateKey(SigningKey.generate());
        assertRefused("the key was rotated in both copies", "clone it again", "watch --since ");
    }

    @Test
    void the_advice_after_a_rotation_works() throws IOException {
        SigningKey next = SigningKey.generate();
        CommitId base =
                new CommitId(Native.git(home, "merge-base", "main", fetched()).strip());
        ours.rotateKey(next);
        Path again = scratch.resolve("again.git");
        Clone clone = Ledger.cloneFrom(
                home.toString(), again, Trust.in(root.publicKey().line()), LedgerOptions.defaults(), Progress.UNSEEN);
        try (Ledger copy = ((Clone.Cloned) clone).ledger()) {
            copy.addSigningKey(next);
            theirs.changes(base, changed -> {
                Tx tx = changed.entry().tx();
                Change put = new Change.Put(Json.parse(tx.snapshot()));
                done(copy, new Write(changed.stream(), put, tx.parent(), tx.txId()));
            });
            assertThat(copy.read(StreamId.of("orders", "theirs"))).isInstanceOf(Document.Present.class);
            assertThat(copy.push("origin")).isInstanceOf(Push.Pushed.class);
        }
    }

    @Test
    void files_of_strangers_are_joined_file_by_file() throws IOException {
        commit(home, Map.of("doc/a", "a of home\n", "doc/new", "new\n", "home", "h\n"), List.of());
        commit(away, Map.of("doc/b", "b of away\n", "README", "two\n", "away/deep/file", "d\n"), List.of("gone"));
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        Map<String, String> joined = Map.of(
                "doc/a", "a of home\n",
                "doc/b", "b of away\n",
                "doc/new", "new\n",
                "README", "two\n",
                "home", "h\n",
                "away/deep/file", "d\n");
        joined.forEach((name, content) ->
                assertThat(Native.git(home, "show", "main:" + name)).as(name).isEqualTo(content));
        assertThat(Native.git(home, "ls-tree", "-r", "--name-only", "main").lines())
                .doesNotContain("gone");
    }

    @Test
    void a_strangers_file_that_becomes_a_directory_or_a_program_comes_along_as_that() throws IOException {
        Path work = clone(away);
        Native.git(work, "rm", "-q", "gone");
        write(work, Map.of("gone/deep", "x\n"));
        work.resolve("README").toFile().setExecutable(true);
        push(work);
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        assertThat(Native.git(home, "ls-tree", "main", "README", "gone"))
                .startsWith("100755 blob")
                .contains("040000 tree");
    }

    @Test
    void the_last_files_of_a_directory_may_go_in_either_copy() throws IOException {
        commit(home, Map.of(), List.of("doc/a"));
        commit(away, Map.of(), List.of("doc/b"));
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        assertThat(Native.git(home, "ls-tree", "main", "doc")).isEmpty();
    }

    @Test
    void a_strangers_file_that_both_changed_is_refused_until_they_agree() throws IOException {
        commit(home, Map.of("doc/a", "home\n"), List.of());
        commit(away, Map.of("doc/a", "away\n"), List.of());
        assertRefused("both copies changed 'doc/a'", "make it the same in both with a git commit");
        commit(away, Map.of("doc/a", "home\n"), List.of());
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
    }

    private String fetched() throws IOException {
        assertThat(ours.fetch(away.toString())).isInstanceOf(Fetch.Diverged.class);
        return theirs.commit().hex();
    }

    private void assertRefused(String... reasons) throws IOException {
        CommitId before = ours.commit();
        assertThat(ours.merge(away.toString()))
                .isInstanceOfSatisfying(
                        Merge.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reasons));
        assertThat(ours.commit()).as("nothing was changed").isEqualTo(before);
    }

    private void commit(Path repository, Map<String, String> files, List<String> removed) throws IOException {
        Path work = clone(repository);
        write(work, files);
        for (String name : removed) {
            Native.git(work, "rm", "-q", name);
        }
        push(work);
    }

    private Path clone(Path repository) throws IOException {
        Path work = Files.createTempDirectory(scratch, "work");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        return work;
    }

    private static void write(Path work, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = work.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }

    private static void push(Path work) {
        Native.git(work, "add", "-A");
        Native.git(work, "commit", "-q", "-m", "change a stranger's files");
        Native.git(work, "push", "-q", "origin", "main");
    }
}
