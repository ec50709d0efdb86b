package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.Anchoring;
import dev.tallystick.ledger.Clone;
import dev.tallystick.ledger.FileAnchor;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Anyone who can push may put a commit without a root on top of a ledger. Git must read it as we do, or verification, writes,
 * anchors and other copies refuse it.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignCommitsTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final String WHO = "author M <m@x> 1 +0000\ncommitter M <m@x> 1 +0000\n";

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private Path copy;
    private Ledger open;
    private Anchored anchored;
    private TxHash head;
    private String honest;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        copy = scratch.resolve("copy.git");
        open = Ledger.init(repository, root, LedgerOptions.defaults());
        head = done(open, put(ORDER, TxHash.NONE, "{\"n\":1}"));
        anchored = open.head();
        if (Ledger.cloneFrom(repository.toString(), copy, trust(), LedgerOptions.defaults(), Progress.UNSEEN)
                instanceof Clone.Cloned cloned) {
            cloned.ledger().addSigningKey(root);
            cloned.ledger().close();
        }
        honest = Native.git(repository, "rev-parse", "main").strip();
    }

    @AfterEach
    void close() throws IOException {
        open.close();
    }

    @Test
    void a_commit_that_git_reads_otherwise_is_refused_everywhere() throws IOException {
        Map<String, Forgery.RawCommit> commits = new LinkedHashMap<>();
        commits.put(
                "a second tree at the end",
                (store, pack, tip, tree) -> "tree " + forgedTree(store, pack, tree) + "\nparent " + tip + "\n" + WHO
                        + "tree " + tree + "\n\nx\n");
        commits.put(
                "a second tree after the parent",
                (store, pack, tip, tree) -> "tree " + forgedTree(store, pack, tree) + "\nparent " + tip + "\ntree "
                        + tree + "\n" + WHO + "\nx\n");
        commits.put(
                "a second tree after the tree",
                (store, pack, tip, tree) ->
                        "tree " + tree + "\ntree " + tree + "\nparent " + tip + "\n" + WHO + "\nx\n");
        commits.put(
                "a parent after the committer",
                (store, pack, tip, tree) -> "tree " + tree + "\n" + WHO + "parent " + tip + "\n\nx\n");
        commits.put(
                "a parent before the tree",
                (store, pack, tip, tree) -> "parent " + tip + "\ntree " + tree + "\n" + WHO + "\nx\n");
        commits.put(
                "a parent between the author and the committer",
                (store, pack, tip, tree) -> "tree " + tree + "\n"
                        + WHO.replace("\ncommitter", "\nparent " + tip + "\ncommitter") + "\nx\n");
        commits.put(
                "another parent after the committer",
                (store, pack, tip, tree) ->
                        "tree " + tree + "\nparent " + tip + "\n" + WHO + "parent " + tip + "\n\nx\n");
        commits.put(
                "no author", (store, pack, tip, tree) -> "tree " + tree + "\nparent " + tip + "\ncommitter M\n\nx\n");
        commits.put(
                "two authors",
                (store, pack, tip, tree) ->
                        "tree " + tree + "\nparent " + tip + "\nauthor M <m@x> 1 +0000\n" + WHO + "\nx\n");
        commits.put(
                "a signature before the author",
                (store, pack, tip, tree) -> "tree " + tree + "\nparent " + tip + "\ngpgsig x\n y\n" + WHO + "\nx\n");
        commits.put(
                "an ID in capitals",
                (store, pack, tip, tree) -> "tree " + tree.toString().toUpperCase(java.util.Locale.ROOT) + "\nparent "
                        + tip + "\n" + WHO + "\nx\n");
        commits.put(
                "a continued parent",
                (store, pack, tip, tree) -> "tree " + tree + "\nparent " + tip + "\n x\n" + WHO + "\nx\n");
        commits.put(
                "a NUL in the header",
                (store, pack, tip, tree) -> "tree " + tree + "\nparent " + tip + "\n" + WHO + "x \0\n\nx\n");
        for (Map.Entry<String, Forgery.RawCommit> commit : commits.entrySet()) {
            Forgery.in(repository).plantRaw(commit.getValue());
            assertRefusedEverywhere(commit.getKey());
        }
    }

    @Test
    void a_commit_as_git_makes_it_is_accepted() throws IOException {
        Forgery.in(repository)
                .plantRaw((store, pack, tip, tree) -> "tree " + tree + "\nparent " + tip + "\n" + WHO
                        + "gpgsig x\n tree y\n parent z\nencoding ISO-8859-1\nx-other tree\n\n\u00e4 tree\nparent x\n");
        assertThat(Verifier.verify(repository, trust(), Verifier.Depth.DEEP).findings())
                .isEmpty();
        done(open, put(ORDER, head, "{\"n\":2}"));
        try (Ledger other = Ledger.open(copy, LedgerOptions.defaults())) {
            assertThat(other.fetch(repository.toString())).isInstanceOf(Fetch.Forwarded.class);
        }
    }

    @Test
    void a_root_tree_that_git_would_not_make_is_refused_everywhere() throws IOException {
        String forged = "documents/orders";
        Map<String, Map<String, String>> changes = new LinkedHashMap<>();
        for (String mode : List.of("140000", "40755", "040000", "0040000", "4000a", "100644", "120000", "160000")) {
            changes.put("documents with mode " + mode, Map.of("documents", mode + " documents"));
        }
        changes.put("keys with a padded mode", Map.of("keys", "040000 keys"));
        for (String name : List.of(
                forged,
                ".",
                "..",
                ".git",
                ".GIT",
                ".git ",
                ".git.",
                "git~1",
                "x\\.git",
                ".g\u00e2\u0080\u008cit",
                "")) {
            changes.put("a directory '" + name + "'", Map.of("+", "40000 " + name));
        }
        for (String mode : List.of("100664", "100600", "0100644", "10644", "", "100644x")) {
            changes.put("a file with mode " + mode, Map.of("+", mode + " zzz"));
        }
        changes.put("a name twice", Map.of("+", "40000 documents"));
        for (Map.Entry<String, Map<String, String>> change : changes.entrySet()) {
            plantRootTree(change.getValue(), false);
            assertRefusedEverywhere(change.getKey());
        }
        plantRootTree(Map.of(), true);
        assertRefusedEverywhere("names in another order");
    }

    @Test
    void a_foreign_root_tree_as_git_makes_it_is_accepted() throws IOException {
        plantRootTree(
                Map.of(
                        "a",
                        "100644 .gitignore",
                        "b",
                        "100755 run",
                        "c",
                        "120000 link",
                        "d",
                        "160000 sub",
                        "e",
                        "40000 src"),
                false);
        assertThat(Verifier.verify(repository, trust(), Verifier.Depth.DEEP).findings())
                .isEmpty();
        done(open, put(ORDER, head, "{\"n\":2}"));
    }

    @Test
    void nested_directories_with_more_paths_than_time_are_refused_everywhere() throws IOException {
        for (List<String> place : List.of(ORDER.path(), List.of("documents"), List.of("keys"), List.of("schemas"))) {
            Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
                Oid bomb = entries(pack, Map.of("f", "100644 f"), pack.add(ObjectType.BLOB, new byte[] {'x'}));
                for (int level = 0; level < 30; level++) {
                    Map<String, String> names = new TreeMap<>();
                    for (int i = 0; i < 10; i++) {
                        names.put(Integer.toString(i), "40000 " + i);
                    }
                    bomb = entries(pack, names, bomb);
                }
                TreeEdit edit = TreeEdit.of(store, tree);
                edit.directory(place).graft("9", bomb);
                return "tree " + edit.writeTo(pack) + "\nparent " + tip + "\n" + WHO + "\nx\n";
            });
            assertRefusedEverywhere("a bomb in " + place);
        }
    }

    /** Changes entries of the root tree, or adds some; each is given as its mode and name. */
    private void plantRootTree(Map<String, String> changes, boolean reversed) throws IOException {
        Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
            Map<String, byte[]> entries = new TreeMap<>();
            Oid file = pack.add(ObjectType.BLOB, new byte[] {'x'});
            Oid directory = entries(pack, Map.of("f", "100644 f"), file);
            for (Tree.Entry entry : new Tree(store.read(tree, ObjectType.TREE)).entries()) {
                String text = changes.getOrDefault(entry.name(), entry.mode() + " " + entry.name());
                entries.put(sortKey(text), bytes(text, entry.id()));
            }
            changes.forEach((before, text) -> {
                if (before.length() == 1) {
                    Oid id = text.startsWith("40000") ? directory : file;
                    entries.merge(sortKey(text), bytes(text, id), ForeignCommitsTest::joined);
                }
            });
            List<byte[]> ordered = new ArrayList<>(entries.values());
            byte[] content = new byte[0];
            for (byte[] entry : reversed ? ordered.reversed() : ordered) {
                content = joined(content, entry);
            }
            return "tree " + pack.add(ObjectType.TREE, content) + "\nparent " + tip + "\n" + WHO + "\nx\n";
        });
    }

    private static String sortKey(String text) {
        String name = text.substring(text.indexOf(' ') + 1);
        return text.startsWith("40000") ? name + "/" : name;
    }

    private static byte[] joined(byte[] one, byte[] other) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(one);
        all.writeBytes(other);
        return all.toByteArray();
    }

    private static byte[] bytes(String text, Oid id) {
        return joined((text + "\0").getBytes(ISO_8859_1), HexFormat.of().parseHex(id.toString()));
    }

    private static Oid entries(PackBuilder pack, Map<String, String> texts, Oid id) throws IOException {
        byte[] tree = new byte[0];
        for (String text : texts.values()) {
            tree = joined(tree, bytes(text, id));
        }
        return pack.add(ObjectType.TREE, tree);
    }

    /** The tree with another version of the document, as a forger would like Git to show it. */
    private static Oid forgedTree(ObjectStore store, PackBuilder pack, Oid honest) throws IOException {
        TreeEdit edit = TreeEdit.of(store, honest);
        edit.directory(ORDER.path()).directory(List.of("1")).put("2", pack.add(ObjectType.BLOB, new byte[] {'x'}));
        return edit.writeTo(pack);
    }

    private void assertRefusedEverywhere(String what) throws IOException {
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            for (Trust trust : List.of(trust(), anchored.trust())) {
                assertThat(Verifier.verify(repository, trust, depth).findings())
                        .as("%s: %s verification", what, depth)
                        .isNotEmpty();
            }
        }
        Write write = put(ORDER, head, "{\"n\":2}");
        assertThat(open.append(write)).as("%s: a write", what).isInstanceOf(Append.Refused.class);
        Files.deleteIfExists(repository.resolve("tally/verified"));
        try (Ledger next = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(next.append(write))
                    .as("%s: a write by the next process", what)
                    .isInstanceOf(Append.Refused.class);
            FileAnchor anchor = new FileAnchor(scratch.resolve("anchor.json"));
            anchor.advance(anchored);
            assertRefused(
                    what + ": an anchor",
                    () -> next.anchor(anchor, Trust.nothing(), Progress.UNSEEN),
                    Anchoring.Refused.class);
            assertThat(anchor.read()).contains(anchored);
        } catch (DamagedObjectException e) {
            assertThat(e).as(what).hasMessageNotContaining("internal");
        }
        try (Ledger other = Ledger.open(copy, LedgerOptions.defaults())) {
            assertRefused(what + ": a fetch", () -> other.fetch(repository.toString()), Fetch.Refused.class);
            assertRefused(what + ": a merge", () -> other.merge(repository.toString()), Merge.Refused.class);
            assertThat(other.head()).isEqualTo(anchored);
        }
        assertThat(Native.git(copy, "rev-parse", "main").strip()).isEqualTo(honest);
        Path clone = Files.createTempDirectory(scratch, "clone").resolve("clone.git");
        assertRefused(
                what + ": a clone",
                () -> Ledger.cloneFrom(
                        repository.toString(), clone, trust(), LedgerOptions.defaults(), Progress.UNSEEN),
                Clone.Unsound.class);
        Files.writeString(repository.resolve("refs/heads/main"), honest + "\n");
    }

    private interface Command {
        Object run() throws IOException;
    }

    private static void assertRefused(String what, Command command, Class<?> refused) throws IOException {
        try {
            assertThat(command.run()).as(what).isInstanceOf(refused);
        } catch (DamagedObjectException | RemoteFailedException e) {
            assertThat(e.getMessage()).as(what).isNotEmpty();
        }
    }

    private Trust trust() {
        return Trust.in(root.publicKey().line());
    }
}
