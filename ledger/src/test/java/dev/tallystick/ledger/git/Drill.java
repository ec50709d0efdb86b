package dev.tallystick.ledger.git;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.Anchoring;
import dev.tallystick.ledger.FileAnchor;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.query.QueryIndex;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.ReceiptCheck;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import dev.tallystick.ledger.write.Signers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Attacks a small ledger in several ways and returns the attacks that succeeded. */
public final class Drill {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final StreamId FORGED = StreamId.of("orders", "forged");

    private final SigningKey root = SigningKey.generate();
    private final SigningKey stranger = SigningKey.generate();
    private final Path scratch;
    private final Path repository;
    private final List<String> violations = new ArrayList<>();
    private TxHash head = TxHash.NONE;

    private Drill(Path scratch) {
        this.scratch = scratch;
        this.repository = scratch.resolve("drill.git");
    }

    public static List<String> violations(Path scratch) throws IOException, SQLException {
        Drill drill = new Drill(scratch);
        drill.run();
        return drill.violations;
    }

    private void run() throws IOException, SQLException {
        FileAnchor anchor = new FileAnchor(scratch.resolve("anchor.json"));
        Anchored anchored;
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
            anchored = ledger.head();
            ledger.anchor(anchor, Trust.nothing(), Progress.UNSEEN);
            attackIndex(ledger);
            attackReceipt(ledger);
        }
        Path shadow = repository.resolve("main");
        Files.writeString(shadow, anchored.commit().hex() + "\n");
        check(!findings(Trust.in(root.publicKey().line())).isEmpty(), "a ref that comes before main went unseen");
        Files.delete(shadow);
        String honest = Native.git(repository, "rev-parse", "main").strip();
        attackForm(anchored, honest);
        Native.git(repository, "update-ref", "refs/heads/main", honest);
        Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger);
        check(!findings(anchored.trust()).isEmpty(), "the quick verification saw no forged commit");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            check(
                    ledger.anchor(anchor, Trust.nothing(), Progress.UNSEEN) instanceof Anchoring.Refused,
                    "an anchor moved to a forged commit");
            check(ledger.append(put(ORDER, head, "2")) instanceof Append.Refused, "a forged commit was built upon");
        }
        Native.git(repository, "update-ref", "refs/heads/main", honest);
        CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger);
        new Signers(repository.resolve("tally")).add(stranger);
        byte[] mac = stranger.mac(("tally-verified-v1 " + forged.hex()).getBytes(US_ASCII));
        String line = forged.hex() + " " + Signers.fingerprint(stranger.publicKey()) + " "
                + HexFormat.of().formatHex(mac) + "\n";
        Files.writeString(repository.resolve("tally/verified"), line);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            check(
                    ledger.append(put(ORDER, head, "2")) instanceof Append.Refused,
                    "a commit was built upon that only a stranger's key vouches for");
        }
    }

    /** Git and we must read the same, and an ID must not change without the key. */
    private void attackForm(Anchored anchored, String honest) throws IOException {
        Anchored other = new Anchored(
                anchored.commit(), anchored.position(), anchored.root(), anchored.rootKey(), stranger.publicKey());
        check(!findings(other.trust()).isEmpty(), "an anchor may name any key");
        Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
            String commit = new String(store.read(tip, ObjectType.COMMIT), US_ASCII);
            return commit.replaceFirst("(SIGNATURE-----\n .*)\n ", "$1");
        });
        check(!findings(Trust.in(root.publicKey().line())).isEmpty(), "a signature may be wrapped otherwise");
        Native.git(repository, "update-ref", "refs/heads/main", honest);
        Forgery.in(repository).plantRaw((store, pack, tip, tree) -> {
            TreeEdit edit = TreeEdit.of(store, tree);
            edit.put("documents/orders", pack.add(ObjectType.BLOB, new byte[0]));
            return "tree " + edit.writeTo(pack) + "\nparent " + tip
                    + "\nauthor M <m@x> 1 +0000\ncommitter M <m@x> 1 +0000\n\nx\n";
        });
        check(!findings(anchored.trust()).isEmpty(), "a name may lead into the ledger");
    }

    private void attackIndex(Ledger ledger) throws IOException, SQLException {
        ledger.index().close();
        head = done(ledger, put(ORDER, head, "{\"n\":2}"));
        check(body(ledger).contains("\\\"n\\\":2"), "the index does not follow the head");
        ledger.index().close();
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + repository.resolve("tally/index.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("update document set body = '{\"n\":99}'");
        }
        check(!body(ledger).contains("99"), "the index answers what was edited into it");
    }

    private static String body(Ledger ledger) throws IOException {
        try (QueryIndex index = ledger.index()) {
            return index.query("select body from document", 9)
                    .rows()
                    .getFirst()
                    .getFirst()
                    .canonical();
        }
    }

    private void attackReceipt(Ledger ledger) throws IOException {
        String receipt = ledger.receipt(ORDER, 1).orElseThrow().text().strip();
        String more = receipt.substring(0, receipt.length() - 1) + ",\"amount\":99}";
        check(
                ReceiptCheck.of(more, root.publicKey().line()) instanceof ReceiptCheck.Refused,
                "a receipt may have unchecked members");
    }

    private List<?> findings(Trust trust) throws IOException {
        return Verifier.verify(repository, trust, Verifier.Depth.QUICK).findings();
    }

    private void check(boolean withstood, String violation) {
        if (!withstood) {
            violations.add(violation);
        }
    }
}
