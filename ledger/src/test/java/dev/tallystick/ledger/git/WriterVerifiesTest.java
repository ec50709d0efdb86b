package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.history.Chain;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A writer judges new commits by the verifier's rules: what {@code verify} reports, no write, fetch or anchor builds upon. */
class WriterVerifiesTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private TxHash head = TxHash.NONE;

    @BeforeEach
    void make_a_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, head, "{}"));
        }
    }

    /** What a stranger may do to the root tree without changing an entry that a careless reader would find. */
    enum RootTree {
        UNSORTED {
            @Override
            List<byte[]> change(List<byte[]> entries) {
                Collections.reverse(entries);
                return entries;
            }
        },
        WITH_A_FILE_OF_THE_SAME_NAME {
            @Override
            List<byte[]> change(List<byte[]> entries) {
                entries.add(1, entry("100644", "documents"));
                return entries;
            }
        },
        WITH_A_SUBMODULE_OF_THE_SAME_NAME {
            @Override
            List<byte[]> change(List<byte[]> entries) {
                entries.add(1, entry("160000", "documents"));
                return entries;
            }
        },
        WITH_A_PADDED_DIRECTORY_OF_THE_SAME_NAME {
            @Override
            List<byte[]> change(List<byte[]> entries) {
                entries.add(1, entry("040000", "documents"));
                return entries;
            }
        },
        WITH_AN_EMPTY_NAME {
            @Override
            List<byte[]> change(List<byte[]> entries) {
                entries.addFirst(entry("100644", ""));
                return entries;
            }
        },
        WITH_TRAILING_BYTES {
            @Override
            List<byte[]> change(List<byte[]> entries) {
                entries.add("garbage".getBytes(UTF_8));
                return entries;
            }
        };

        abstract List<byte[]> change(List<byte[]> entries);

        private static byte[] entry(String mode, String name) {
            byte[] bytes = (mode + " " + name + "\0" + "x".repeat(Oid.BYTES)).getBytes(UTF_8);
            return bytes;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_foreign_commit_with_a_malformed_root_tree_is_not_built_upon(RootTree malformed) throws IOException {
        CommitId planted = plantForeign(malformed);
        assertThat(findings()).isNotEmpty();
        assertNotBuiltUpon(planted);
    }

    static Stream<Arguments> falseLinks() {
        return IntStream.rangeClosed(0, 6)
                .boxed()
                .flatMap(commits -> Stream.of(
                                "Tally-Position: \\d+=Tally-Position: 9",
                                "Tally-Previous: [0-9a-f]+=Tally-Previous: " + "0".repeat(64),
                                "Tally-Skip: [0-9a-f]+=Tally-Skip: " + "0".repeat(64))
                        .map(change -> Arguments.of(commits, change)));
    }

    @ParameterizedTest
    @MethodSource("falseLinks")
    void a_signed_commit_with_a_false_link_is_not_built_upon(int commitsBefore, String change) throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            for (int i = 0; i < commitsBefore; i++) {
                head = done(ledger, put(ORDER, head, "{}"));
            }
        }
        String[] parts = change.split("=", 2);
        CommitId planted = Forgery.in(repository)
                .append(put(StreamId.of("orders", "forged"), TxHash.NONE, "{}"), root, new Forgery.Alteration() {
                    @Override
                    public String message(String honest) {
                        return Forgery.rooted(honest.replaceFirst(parts[0], parts[1]));
                    }
                });
        assertThat(findings()).isNotEmpty();
        assertNotBuiltUpon(planted);
    }

    @Test
    void a_false_link_after_an_anchor_is_a_finding_of_quick_verification() throws IOException {
        Anchored anchor;
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            done(ledger, put(ORDER, done(ledger, put(ORDER, head, "{}")), "{}"));
            anchor = ledger.head();
        }
        assertThat((anchor.position() + 1) % 2).isZero();
        Forgery.in(repository)
                .append(put(StreamId.of("orders", "forged"), TxHash.NONE, "{}"), root, new Forgery.Alteration() {
                    @Override
                    public String message(String honest) {
                        return Forgery.rooted(
                                honest.replaceFirst("Tally-Skip: [0-9a-f]+", "Tally-Skip: " + "0".repeat(64)));
                    }
                });
        Trust trust = Trust.in(root.publicKey().line()).anchoredAt(anchor.position(), anchor.root());
        assertThat(Verifier.verify(repository, trust, Verifier.Depth.QUICK).findings())
                .isNotEmpty();
    }

    private void assertNotBuiltUpon(CommitId planted) throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertThat(ledger.append(put(ORDER, head, "{\"n\":9}"))).isInstanceOf(Append.Refused.class);
            assertThat(ledger.commit()).isEqualTo(planted);
        }
    }

    private List<Finding> findings() throws IOException {
        Trust trust = Trust.in(root.publicKey().line());
        return Verifier.verify(repository, trust, Verifier.Depth.DEEP).findings();
    }

    private CommitId plantForeign(RootTree malformed) throws IOException {
        Ref main = Ref.main(repository, CrashPoints.NONE);
        try (ObjectStore store = new ObjectStore(repository.resolve("objects"));
                PackBuilder pack = new PackBuilder()) {
            Oid tip = main.read().orElseThrow();
            Oid honest = new Chain(store).commit(tip).tree();
            ByteArrayOutputStream tree = new ByteArrayOutputStream();
            malformed.change(entries(store.read(honest, ObjectType.TREE))).forEach(tree::writeBytes);
            String who = "A Stranger <stranger@localhost> 1700000000 +0000\n";
            String commit = "tree " + pack.add(ObjectType.TREE, tree.toByteArray()) + "\nparent " + tip + "\nauthor "
                    + who + "committer " + who + "\nhello\n";
            Oid planted = pack.add(ObjectType.COMMIT, commit.getBytes(UTF_8));
            store.adopt(pack.writeTo(store.directory()), pack);
            main.compareAndSet(tip, planted);
            return CommitId.of(planted);
        }
    }

    private static List<byte[]> entries(byte[] tree) throws IOException {
        List<byte[]> entries = new ArrayList<>();
        for (Tree.Entry entry : new Tree(tree).entries()) {
            Tree alone = Tree.empty();
            alone.put(entry.mode(), entry.name(), entry.id());
            entries.add(alone.bytes());
        }
        return entries;
    }
}
