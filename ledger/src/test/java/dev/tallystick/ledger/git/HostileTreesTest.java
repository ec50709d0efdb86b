package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.Clone;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.history.Branch;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.history.StreamView;
import dev.tallystick.ledger.history.VersionPath;
import dev.tallystick.ledger.history.View;
import dev.tallystick.ledger.query.QueryIndex;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A few trees can name each other so often that no one lives to see the end of all paths through them, or so deeply that a
 * call for each level does not fit the stack. The work is bounded by what is there, in verification and in every read.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileTreesTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final int CROSSING_LEVELS = 60;
    private static final int DEEP_LEVELS = 5_000;

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private TxHash head;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            TxHash first = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
            head = done(ledger, put(ORDER, first, "{\"n\":2}"));
        }
    }

    @Test
    void histories_that_were_merged_crosswise_are_each_read_once() throws IOException {
        plantMerges(CROSSING_LEVELS, List.of("2", "3"));
        assertBranches(CROSSING_LEVELS);
        assertEverythingEnds();
    }

    @Test
    void histories_that_were_merged_five_thousand_deep_fit_the_stack() throws IOException {
        plantMerges(DEEP_LEVELS, List.of("2"));
        assertBranches(DEEP_LEVELS);
        assertEverythingEnds();
    }

    @Test
    void empty_directories_in_many_places_are_each_read_once() throws IOException {
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            Oid wide = pack.add(ObjectType.TREE, new byte[0]);
                            for (int level = 0; level < 9; level++) {
                                wide = wide(pack, wide, 10);
                            }
                            TreeEdit edit = TreeEdit.of(store, honest);
                            edit.directory(ORDER.path()).graft("9", wide);
                            return edit.writeTo(pack);
                        },
                        root);
        assertEverythingEnds();
    }

    @Test
    void empty_directories_above_the_streams_are_each_read_once() throws IOException {
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            Oid wide = pack.add(ObjectType.TREE, new byte[0]);
                            for (int level = 0; level < 3; level++) {
                                wide = wide(pack, wide, 2_000);
                            }
                            TreeEdit edit = TreeEdit.of(store, honest);
                            edit.graft("documents", wide);
                            return edit.writeTo(pack);
                        },
                        root);
        assertEverythingEnds();
        Native.git(repository, "update-ref", "refs/heads/main", "main~1");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults());
                QueryIndex index = ledger.index()) {
            assertThat(index.query("select body from document", 9).rows()).hasSize(1);
        }
    }

    @Test
    void a_version_that_claims_a_huge_number_is_not_counted_up_to() throws IOException {
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            TreeEdit edit = TreeEdit.of(store, honest);
                            List<String> place = VersionPath.of(999_999_999);
                            edit.directory(ORDER.path())
                                    .directory(place.subList(0, place.size() - 1))
                                    .put(place.getLast(), pack.add(ObjectType.BLOB, new byte[] {'x'}));
                            return edit.writeTo(pack);
                        },
                        root);
        assertEverythingEnds();
    }

    /** Directories of the stream that each hold the one before under these merges. */
    private void plantMerges(int levels, List<String> merges) throws IOException {
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            View view = new View(store, honest, honest);
                            Oid directory = view.stream(ORDER).orElseThrow().directory();
                            Tree stream = new Tree(store.read(directory, ObjectType.TREE));
                            for (int level = 0; level < levels; level++) {
                                Tree merged = Tree.empty();
                                for (String merge : merges) {
                                    merged.put(Tree.DIRECTORY, merge, directory);
                                }
                                Tree holder = new Tree(stream.bytes());
                                holder.put(
                                        Tree.DIRECTORY, StreamView.MERGED, pack.add(ObjectType.TREE, merged.bytes()));
                                directory = pack.add(ObjectType.TREE, holder.bytes());
                            }
                            TreeEdit edit = TreeEdit.of(store, honest);
                            List<String> path = ORDER.path();
                            edit.directory(path.subList(0, path.size() - 1)).graft(path.getLast(), directory);
                            return edit.writeTo(pack);
                        },
                        root);
    }

    private void assertBranches(int levels) throws IOException {
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"))) {
            Oid tip = Ref.main(repository, dev.tallystick.core.CrashPoints.NONE)
                    .read()
                    .orElseThrow();
            View view = new View(store, tip, new Chain(store).commit(tip).tree());
            StreamView stream = view.stream(ORDER).orElseThrow();
            assertThat(Branch.of(stream)).hasSize(levels).allMatch(branch -> branch.shared() == 2);
            assertThat(stream.contains(stream, 2)).isTrue();
        }
    }

    private static Oid wide(PackBuilder pack, Oid below, int width) throws IOException {
        java.io.ByteArrayOutputStream tree = new java.io.ByteArrayOutputStream();
        int first = width > 10 ? 1_000 : 0;
        for (int i = first; i < first + width; i++) {
            tree.writeBytes(("40000 " + i).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            tree.write(0);
            tree.writeBytes(java.util.HexFormat.of().parseHex(below.toString()));
        }
        return pack.add(ObjectType.TREE, tree.toByteArray());
    }

    /** Every question is answered or refused, and every verification ends with findings. */
    private void assertEverythingEnds() throws IOException {
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            assertThat(Verifier.verify(repository, Trust.in(root.publicKey().line()), depth)
                            .findings())
                    .isNotEmpty();
        }
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            answered(() -> ledger.logWithBranches(ORDER, 1_000_000));
            answered(() -> ledger.list(new Collection("orders"), "", 1_000_000));
            answered(() -> ledger.read(ORDER));
            answered(() -> {
                ledger.index().close();
                return "";
            });
            assertThat(ledger.append(put(ORDER, head, "{\"n\":3}")))
                    .isInstanceOfAny(Append.Refused.class, Append.HeadChanged.class);
            assertThat(ledger.append(put(ORDER, TxHash.NONE, "{\"n\":3}")))
                    .isInstanceOfAny(Append.Refused.class, Append.HeadChanged.class);
        }
        answered(() -> {
            Clone clone = Ledger.cloneFrom(
                    repository.toString(),
                    scratch.resolve("copy.git"),
                    Trust.in(root.publicKey().line()),
                    LedgerOptions.defaults(),
                    Progress.UNSEEN);
            assertThat(clone).isInstanceOf(Clone.Unsound.class);
            return clone;
        });
    }

    private interface Question {
        Object ask() throws IOException;
    }

    private static void answered(Question question) throws IOException {
        try {
            question.ask();
        } catch (DamagedObjectException | RemoteFailedException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }
}
