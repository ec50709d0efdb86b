package dev.tallystick.ledger.history;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Memory;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.git.DamagedObjectException;
import dev.tallystick.ledger.git.ObjectType;
import dev.tallystick.ledger.git.TreeEdit;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.ssh.SshSignature;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.FuzzedReaders;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the format says in one form is refused in any other, even if the holder of the key made it. */
class OneFormTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");

    @TempDir(factory = Memory.class)
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 70, 76, 400})
    void a_signature_that_is_wrapped_otherwise_is_refused(int width) throws IOException {
        Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
            String commit = new String(store.read(tip, ObjectType.COMMIT), ISO_8859_1);
            int begin = commit.indexOf("SIGNATURE-----") + "SIGNATURE-----".length();
            int end = commit.indexOf("-----END");
            String wrapped =
                    commit.substring(begin, end).replaceAll("\\s", "").replaceAll("(.{1," + width + "})", "\n $1");
            return commit.substring(0, begin) + wrapped + "\n " + commit.substring(end);
        });
        assertThat(findings()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "x,,true",
        "x,x-other y,false",
        "x,encoding UTF-8,false",
        "'x\ny',,false",
        "'x\n\ny',,false",
        "'',,false"
    })
    void a_commit_of_ours_has_one_subject_line_and_no_other_headers(String subject, String header, boolean accepted)
            throws IOException {
        Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
            Chain chain = new Chain(store);
            String message = chain.nextMessage(subject, chain.newest(tip).orElseThrow(), List.of(), "");
            String first = "tree " + tree + "\nparent " + tip + "\nauthor M <m@x> 1 +0000\ncommitter M <m@x> 1 +0000\n";
            String other = header == null ? "" : header + "\n";
            String signature = root.sign(SshSignature.GIT, (first + other + "\n" + message).getBytes(UTF_8));
            return first + "gpgsig " + signature.strip().replace("\n", "\n ") + "\n" + other + "\n" + message;
        });
        assertThat(findings().isEmpty()).isEqualTo(accepted);
    }

    @ParameterizedTest
    @ValueSource(strings = {"documents/empty", "documents/orders/00", "documents/orders/00/00", "schemas/empty"})
    void a_directory_of_the_ledger_is_not_empty(String path) throws IOException {
        int name = path.lastIndexOf('/');
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            TreeEdit edit = TreeEdit.of(store, honest);
                            edit.directory(List.of(path.substring(0, name).split("/", -1)))
                                    .graft(path.substring(name + 1), pack.add(ObjectType.TREE, new byte[0]));
                            return edit.writeTo(pack);
                        },
                        root);
        assertThat(findings()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'',true", "'\n',false", "' ',false", "x,false"})
    void nothing_follows_the_signature_in_a_key_file(String rest, boolean accepted) throws IOException {
        String file = new String(
                KeyRing.Entry.signed(2, SigningKey.generate().publicKey(), 3, root)
                        .file(),
                UTF_8);
        byte[] content = (file + rest).getBytes(UTF_8);
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            TreeEdit edit = TreeEdit.of(store, honest);
                            edit.directory(Layout.KEYS).put("2", pack.add(ObjectType.BLOB, content));
                            return edit.writeTo(pack);
                        },
                        root,
                        Leaf.of("keys/2", content));
        assertThat(findings().isEmpty()).isEqualTo(accepted);
    }

    @ParameterizedTest
    @CsvSource({"{},true", "true,true", "5,false", "'{ }',false", "'',false", "[],false", "'{}\n',false"})
    void a_schema_is_an_object_or_a_boolean_in_canonical_form(String schema, boolean accepted) throws IOException {
        byte[] content = schema.getBytes(UTF_8);
        Forgery.in(repository)
                .plant(
                        (store, pack, honest) -> {
                            TreeEdit edit = TreeEdit.of(store, honest);
                            edit.directory(List.of(Layout.SCHEMAS, "people"))
                                    .put("1", pack.add(ObjectType.BLOB, content));
                            return edit.writeTo(pack);
                        },
                        root,
                        Leaf.of("schemas/people/1", content));
        assertThat(findings().isEmpty()).isEqualTo(accepted);
    }

    @Test
    void a_field_number_beyond_32_bits_is_no_field() {
        byte[] honest = transaction();
        assertRefused(varint(((1L << 32 | 1) << 3) | 2), Arrays.copyOfRange(honest, 1, honest.length));
    }

    @Test
    void a_timestamp_is_not_negative() {
        byte[] honest = transaction();
        int timestamp = 2 + 26 + 1;
        for (long negative : new long[] {-1, Long.MIN_VALUE}) {
            assertRefused(
                    Arrays.copyOf(honest, timestamp),
                    varint(negative),
                    Arrays.copyOfRange(honest, timestamp + 1, honest.length));
        }
    }

    private static byte[] transaction() {
        return new Tx(Writes.id(), 1, ORDER, Op.PUT, "{}", "", TxHash.NONE, 0, TxHash.NONE, "").bytes();
    }

    private static byte[] varint(long value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        long rest = value;
        for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
            bytes.write((int) (rest & 0x7f) | 0x80);
        }
        bytes.write((int) rest);
        return bytes.toByteArray();
    }

    private static void assertRefused(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        assertThatThrownBy(() -> FuzzedReaders.transaction(bytes.toByteArray()))
                .isInstanceOf(FuzzedReaders.Refused.class);
        assertThatThrownBy(() -> Tx.parse(bytes.toByteArray())).isInstanceOf(DamagedObjectException.class);
    }

    private List<Finding> findings() throws IOException {
        Trust trust = Trust.in(root.publicKey().line());
        return Verifier.verify(repository, trust, Verifier.Depth.DEEP).findings();
    }
}
