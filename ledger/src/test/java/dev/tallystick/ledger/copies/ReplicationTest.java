package dev.tallystick.ledger.copies;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.Clone;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.git.NotALedgerException;
import dev.tallystick.ledger.git.RemoteFailedException;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.ReceiptCheck;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.ledger.write.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two copies of one ledger that exchange commits through native Git. */
class ReplicationTest {

    private static final StreamId SHARED = StreamId.of("orders", "shared");
    private static final StreamId ONE = StreamId.of("orders", "one");
    private static final StreamId OTHER = StreamId.of("merged", "other");

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path home;
    private Path away;
    private Ledger ours;
    private Ledger theirs;
    private TxHash head;

    @BeforeEach
    void clone_a_ledger() throws IOException {
        home = scratch.resolve("home.git");
        away = scratch.resolve("away.git");
        ours = Ledger.init(home, root, LedgerOptions.defaults());
        head = done(ours, put(SHARED, TxHash.NONE, "{\"a\":1,\"b\":1}"));
        theirs = cloned(away);
        theirs.addSigningKey(root);
    }

    @AfterEach
    void judge() throws IOException {
        ours.close();
        theirs.close();
        for (Path copy : List.of(home, away)) {
            assertThat(verify(copy).findings()).isEmpty();
            Native.accepts(copy, scratch);
        }
    }

    @Test
    void a_clone_has_everything_and_can_be_written_to_with_the_key() throws IOException {
        assertThat(theirs.read(SHARED)).isEqualTo(ours.read(SHARED));
        assertThat(theirs.head()).isEqualTo(ours.head());
        done(theirs, put(SHARED, head, "{\"a\":2,\"b\":1}"));
    }

    @Test
    void a_clone_without_the_key_can_be_read_only() throws IOException {
        try (Ledger third = cloned(scratch.resolve("third.git"))) {
            assertThat(third.append(put(SHARED, head, "2"))).isInstanceOf(Append.Refused.class);
        }
    }

    @Test
    void a_clone_of_another_ledger_than_the_one_trusted_is_unsound_and_no_ledger() throws IOException {
        Trust other = Trust.in(SigningKey.generate().publicKey().line());
        Path target = scratch.resolve("fourth.git");
        assertThat(Ledger.cloneFrom(home.toString(), target, other, LedgerOptions.defaults(), Progress.UNSEEN))
                .isInstanceOf(Clone.Unsound.class);
        assertThatThrownBy(() -> Ledger.open(target, LedgerOptions.defaults())).isInstanceOf(NotALedgerException.class);
    }

    @Test
    void commits_travel_by_push_and_fetch() throws IOException {
        TxHash second = done(theirs, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        assertThat(theirs.push("origin")).isInstanceOf(Push.Pushed.class);
        assertThat(theirs.push("origin")).isInstanceOf(Push.UpToDate.class);
        assertThat(ours.read(SHARED).head()).isEqualTo(second);

        done(ours, put(ONE, TxHash.NONE, "1"));
        assertThat(theirs.fetch("origin")).isInstanceOf(Fetch.Forwarded.class);
        assertThat(theirs.fetch("origin")).isInstanceOf(Fetch.UpToDate.class);
        assertThat(theirs.head()).isEqualTo(ours.head());
        assertThat(ours.fetch(away.toString())).isInstanceOf(Fetch.UpToDate.class);
    }

    @Test
    void diverged_copies_are_reported_and_nothing_is_overwritten() throws IOException {
        TxHash one = done(ours, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        TxHash other = done(theirs, put(SHARED, head, "{\"a\":1,\"b\":2}"));

        assertThat(theirs.push("origin")).isInstanceOf(Push.FetchFirst.class);
        assertThat(theirs.fetch("origin")).isEqualTo(new Fetch.Diverged(theirs.commit(), ours.commit()));
        assertThat(ours.read(SHARED).head()).isEqualTo(one);
        assertThat(theirs.read(SHARED).head()).isEqualTo(other);
    }

    @Test
    void a_merge_joins_both_histories_and_records_conflicts() throws IOException {
        TxHash one = done(ours, put(SHARED, head, "{\"a\":2,\"b\":2}"));
        done(ours, put(ONE, TxHash.NONE, "1"));
        Write lost = put(SHARED, head, "{\"a\":1,\"b\":3,\"c\":4}");
        TxHash other = done(theirs, lost);
        done(theirs, put(OTHER, TxHash.NONE, "2"));
        done(theirs, put(StreamId.of("orders", "third"), TxHash.NONE, "3"));
        Anchored before = theirs.head();
        Anchored oursBefore = ours.head();

        Merge merge = theirs.merge("origin");
        assertThat(merge)
                .isInstanceOfSatisfying(
                        Merge.Joined.class,
                        joined -> assertThat(joined.streams())
                                .singleElement()
                                .satisfies(stream -> assertThat(stream.conflicts())
                                        .isEqualTo(Json.parse(
                                                "[{\"base\":1,\"dropped\":2,\"kept\":3,\"path\":\"/b\"}]"))));
        assertThat(body(theirs, SHARED)).isEqualTo(Json.parse("{\"a\":2,\"b\":3,\"c\":4}"));
        assertThat(body(theirs, ONE)).isEqualTo(Json.parse("1"));
        assertThat(body(theirs, OTHER)).isEqualTo(Json.parse("2"));
        Tx tx = theirs.log(SHARED, 3, 1).getFirst().tx();
        assertThat(tx.op()).isEqualTo(Op.MERGE);
        assertThat(List.of(tx.parent(), tx.merged())).containsExactlyInAnyOrder(one, other);
        assertThat(tx.conflicts()).isNotEmpty();
        assertThat(theirs.head().position()).isGreaterThan(Math.max(before.position(), oursBefore.position()));

        assertThat(theirs.append(lost)).as("a retry of what was merged").isInstanceOf(Append.Appended.class);
        assertThat(theirs.push("origin")).isInstanceOf(Push.Pushed.class);
        assertThat(ours.append(lost)).as("also in the other copy").isInstanceOf(Append.Appended.class);
        assertThat(ours.append(put(SHARED, one, "9"))).isInstanceOf(Append.HeadChanged.class);
        for (Anchored anchor : List.of(before, oursBefore)) {
            Trust trust = Trust.in(root.publicKey().line()).anchoredAt(anchor.position(), anchor.root());
            for (Verifier.Depth depth : Verifier.Depth.values()) {
                assertThat(Verifier.verify(home, trust, depth).findings()).isEmpty();
            }
        }
    }

    @Test
    void a_receipt_leads_through_a_merge_from_either_side() throws IOException {
        done(ours, put(ONE, TxHash.NONE, "1"));
        done(ours, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        done(theirs, put(OTHER, TxHash.NONE, "2"));
        done(theirs, put(SHARED, head, "{\"a\":1,\"b\":2}"));
        assertThat(theirs.merge("origin")).isInstanceOf(Merge.Joined.class);
        done(theirs, put(StreamId.of("orders", "later"), TxHash.NONE, "3"));
        for (StreamId stream : List.of(ONE, OTHER)) {
            proven(stream, 1);
        }
        for (int version = 1; version <= 3; version++) {
            proven(SHARED, version);
        }
    }

    @Test
    void a_document_changed_here_and_deleted_there_is_kept_and_the_conflict_recorded() throws IOException {
        done(ours, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        done(theirs, delete(SHARED, head));
        assertThat(ours.merge(away.toString()))
                .isInstanceOfSatisfying(
                        Merge.Joined.class,
                        joined -> assertThat(
                                        joined.streams().getFirst().conflicts().elements())
                                .hasSize(1));
        assertThat(body(ours, SHARED)).isEqualTo(Json.parse("{\"a\":2,\"b\":1}"));
    }

    @Test
    void copies_that_merge_each_other_again_and_again_end_up_equal() throws IOException {
        for (int round = 1; round <= 3; round++) {
            done(ours, put(SHARED, ours.read(SHARED).head(), "{\"a\":" + round + ",\"b\":1}"));
            done(theirs, put(SHARED, theirs.read(SHARED).head(), "{\"a\":0,\"c\":" + round + "}"));
            assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
            assertThat(theirs.merge("origin")).isInstanceOf(Merge.Forwarded.class);
        }
        assertThat(theirs.head()).isEqualTo(ours.head());
        assertThat(theirs.read(SHARED)).isEqualTo(ours.read(SHARED));
        assertThat(theirs.merge("origin")).isInstanceOf(Merge.UpToDate.class);
    }

    @Test
    void two_merges_of_the_same_histories_are_merged_once_more() throws IOException {
        done(ours, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        done(theirs, put(SHARED, head, "{\"a\":1,\"b\":2}"));
        Path copy = scratch.resolve("bare.git");
        Native.git(scratch, "clone", "-q", "--bare", home.toString(), copy.toString());
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        assertThat(theirs.merge(copy.toString())).isInstanceOf(Merge.Joined.class);

        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        assertThat(body(ours, SHARED)).isEqualTo(Json.parse("{\"a\":2,\"b\":2}"));
        assertThat(theirs.fetch("origin")).isInstanceOf(Fetch.Forwarded.class);
    }

    @Test
    void schemas_and_strangers_files_of_one_side_come_along() throws IOException {
        ours.putSchema(new Collection("orders"), Json.parse("{\"type\":\"object\"}"));
        done(theirs, put(OTHER, TxHash.NONE, "2"));
        foreignCommit(away, "README", "from away");
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        assertThat(ours.schema(new Collection("orders"))).isPresent();
        assertThat(Native.git(home, "show", "main:README")).isEqualTo("from away");
    }

    @Test
    void another_ledger_is_refused() throws IOException {
        Path strange = scratch.resolve("strange.git");
        Ledger.init(strange, SigningKey.generate(), LedgerOptions.defaults()).close();
        assertThat(ours.fetch(strange.toString())).isInstanceOf(Fetch.Refused.class);
        assertRefused(ours.merge(strange.toString()), "another ledger");
    }

    @Test
    void a_copy_that_was_forged_or_rolled_back_is_refused() throws IOException {
        TxHash second = done(theirs, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        assertThat(ours.fetch(away.toString())).isInstanceOf(Fetch.Forwarded.class);
        Path forged = scratch.resolve("forged.git");
        Native.git(scratch, "clone", "-q", "--bare", away.toString(), forged.toString());
        Path work = scratch.resolve("work");
        Native.git(scratch, "clone", "-q", forged.toString(), work.toString());
        try (var files = Files.walk(work.resolve("documents"))) {
            Files.writeString(
                    files.filter(file -> file.endsWith("HEAD")).findFirst().orElseThrow(), "0".repeat(64) + "\n");
        }
        Native.git(work, "commit", "-q", "-a", "-m", "a small correction");
        Native.git(work, "push", "-q", "origin", "main");
        assertThat(ours.fetch(forged.toString())).isInstanceOf(Fetch.Refused.class);
        assertThat(ours.read(SHARED).head()).isEqualTo(second);

        Path behind = scratch.resolve("behind.git");
        Native.git(scratch, "clone", "-q", "--bare", away.toString(), behind.toString());
        assertThat(ours.fetch(behind.toString())).isInstanceOf(Fetch.UpToDate.class);
        Native.git(behind, "update-ref", "refs/heads/main", "main~1");
        assertThat(ours.fetch(behind.toString())).isInstanceOf(Fetch.Refused.class);
    }

    @Test
    void a_copy_that_cannot_be_reached_is_an_environment_failure() {
        assertThatThrownBy(() -> ours.fetch(scratch.resolve("nowhere").toString()))
                .isInstanceOf(RemoteFailedException.class);
        assertThatThrownBy(() -> ours.push("--upload-pack=touch")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ours.push("ext::sh -c true")).isInstanceOf(RemoteFailedException.class);
    }

    @Test
    void a_merge_that_drops_a_transaction_is_seen() throws IOException {
        done(ours, put(SHARED, head, "{\"a\":2,\"b\":1}"));
        done(theirs, put(SHARED, head, "{\"a\":1,\"b\":2}"));
        assertThat(ours.merge(away.toString())).isInstanceOf(Merge.Joined.class);
        String merge = Native.git(home, "rev-parse", "main").strip();
        Path forged = scratch.resolve("dropped.git");
        Native.git(scratch, "clone", "-q", "--bare", home.toString(), forged.toString());
        String message = Native.git(forged, "log", "-1", "--format=%B", merge).stripTrailing() + "\n";
        String commit = Native.git(
                        forged,
                        "commit-tree",
                        merge + "^1^{tree}",
                        "-p",
                        merge + "^1",
                        "-p",
                        merge + "^2",
                        "-m",
                        message)
                .strip();
        Native.git(forged, "update-ref", "refs/heads/main", commit);
        assertThat(verify(forged).findings()).extracting(Finding::kind).contains(Finding.Kind.STREAM);
        assertThat(theirs.fetch(forged.toString())).isInstanceOf(Fetch.Refused.class);
    }

    private void proven(StreamId stream, int version) throws IOException {
        String receipt = theirs.receipt(stream, version).orElseThrow().text();
        assertThat(ReceiptCheck.of(receipt, root.publicKey().line()))
                .as("%s %d", stream, version)
                .isInstanceOf(ReceiptCheck.Proven.class);
    }

    private static void assertRefused(Merge merge, String reason) {
        assertThat(merge)
                .isInstanceOfSatisfying(
                        Merge.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }

    private static Json body(Ledger ledger, StreamId stream) throws IOException {
        return ((Document.Present) ledger.read(stream)).body();
    }

    private Ledger cloned(Path directory) throws IOException {
        Trust trust = Trust.in(root.publicKey().line());
        Clone clone = Ledger.cloneFrom(home.toString(), directory, trust, LedgerOptions.defaults(), Progress.UNSEEN);
        assertThat(clone).isInstanceOf(Clone.Cloned.class);
        return ((Clone.Cloned) clone).ledger();
    }

    private Report verify(Path repository) throws IOException {
        return Verifier.verify(repository, Trust.in(root.publicKey().line()), Verifier.Depth.DEEP);
    }

    private void foreignCommit(Path repository, String name, String content) throws IOException {
        Path work = scratch.resolve("foreign");
        Native.git(scratch, "clone", "-q", repository.toString(), work.toString());
        Files.writeString(work.resolve(name), content);
        Native.git(work, "add", name);
        Native.git(work, "commit", "-q", "-m", "add a file");
        Native.git(work, "push", "-q", "origin", "main");
    }
}
