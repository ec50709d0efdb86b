package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Everyone who cloned the ledger holds a checkpoint of the log, and the log cannot go back behind it unseen. */
class LedgerAnchorTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path scratch;

    private final NoteSigner signer =
            NoteSigner.generate("log.example/anchored", VerifierKey.Type.NOTE, new SecureRandom());

    @BeforeEach
    void init() throws Exception {
        Ledger.init(repository(), SigningKey.generate(), LedgerOptions.defaults())
                .close();
    }

    private Path repository() {
        return scratch.resolve("ledger");
    }

    private Document document(String origin) throws Exception {
        try (Ledger ledger = Ledger.open(repository(), LedgerOptions.defaults())) {
            return ledger.read(StreamId.of(LedgerAnchor.COLLECTION, origin));
        }
    }

    private static String checkpoint(Document document) {
        Json.ObjectValue body = (Json.ObjectValue) ((Document.Present) document).body();
        return ((Json.StringValue) Objects.requireNonNull(body.members().get("checkpoint"))).value();
    }

    @Test
    void a_server_leaves_its_last_checkpoint_in_the_ledger() throws Exception {
        Path data = scratch.resolve("server");
        try (TallyServer server = TallyServer.start(
                ServerUnderTest.settings(postgres.url(), data).withSeal(true).withLedger(repository()))) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            Http member = ServerUnderTest.memberOf(admin, "alice", "member");
            String job = member.submit("order:1", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"1\"}}")
                    .text("job_id");
            member.get("/v1/jobs/" + job + "/result?wait=30");
            Eventually.holds(
                    "the job is sealed",
                    () -> member.get("/v1/jobs/" + job + "/receipt").status() == 200);
        }

        String left = Files.readString(data.resolve("log/checkpoint"));
        String origin = Checkpoint.parse(SignedNote.parse(left).text()).origin();
        assertThat(checkpoint(document(origin))).isEqualTo(left);
    }

    @Test
    void the_anchor_moves_forward_only() throws Exception {
        AtomicReference<SignedNote> newest = new AtomicReference<>(note(4, 1));
        try (LedgerAnchor anchor = LedgerAnchor.open(
                repository(), () -> Optional.of(newest.get()), new Ids(InstantSource.system(), new Random(42)))) {
            anchor.anchor();
            anchor.anchor();
            assertThat(((Document.Present) document("log.example/anchored")).version())
                    .isEqualTo(1);
            newest.set(note(9, 2));
            anchor.anchor();
            newest.set(note(9, 3));
            anchor.anchor();
            newest.set(note(5, 4));
            anchor.anchor();
        }

        Document.Present there = (Document.Present) document("log.example/anchored");
        assertThat(there.version()).isEqualTo(2);
        assertThat(checkpoint(there)).isEqualTo(note(9, 2).toString());
    }

    private SignedNote note(long size, int root) {
        return signer.sign(new Checkpoint("log.example/anchored", size, Hash.sha256(new byte[] {(byte) root})).text());
    }
}
