package dev.tallystick.ledger.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.Writes;
import dev.tallystick.ledger.json.JsonPatch;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.Op;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Tx;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pins the byte format: fixed key, fixed clock, fixed IDs. If one of these tests fails, existing ledgers can no longer be read
 * or verified; the answer is a new version of the format, not new golden files.
 */
class GoldenTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00.123456789Z");

    @TempDir
    Path scratch;

    @Test
    void transactions_have_these_bytes() throws IOException {
        Tx put = put();
        Tx patch = patch(TxHash.of(put.bytes()));
        Tx delete = new Tx(
                Ulid.parse("01JGFJJZ000000000000000003"),
                put.timestamp(),
                ORDER,
                Op.DELETE,
                "",
                "",
                TxHash.of(patch.bytes()),
                0,
                TxHash.NONE,
                "");
        Tx merge = new Tx(
                Ulid.parse("01JGFJJZ000000000000000004"),
                put.timestamp(),
                ORDER,
                Op.MERGE,
                "{\"currency\":\"EUR\",\"total\":11}",
                "",
                TxHash.of(patch.bytes()),
                1,
                TxHash.of(put.bytes()),
                "[{\"base\":10,\"dropped\":12,\"kept\":11,\"path\":\"/total\"}]");
        assertThat(line(put) + line(patch) + line(delete) + line(merge)).isEqualTo(golden("transactions.txt"));
    }

    @Test
    void streams_have_these_paths() throws IOException {
        StringBuilder paths = new StringBuilder();
        for (int version : new int[] {1, 9, 10, 42, 99, 100, 1234, 99_999, 100_000, VersionPath.MOST}) {
            paths.append(version)
                    .append(' ')
                    .append(String.join("/", VersionPath.of(version)))
                    .append('\n');
        }
        for (StreamId stream : new StreamId[] {ORDER, StreamId.of("orders", "../x"), StreamId.of("a-b_c", "🙂")}) {
            paths.append(stream)
                    .append(' ')
                    .append(String.join("/", stream.path()))
                    .append('\n');
        }
        assertThat(paths.toString()).isEqualTo(golden("paths.txt"));
    }

    @Test
    void a_small_ledger_has_these_commits_and_these_trees() throws IOException {
        Path repository = scratch.resolve("ledger.git");
        SigningKey key = SigningKey.parse(golden("signing-key.txt"));
        LedgerOptions options = LedgerOptions.defaults().withClock(() -> TIME);
        try (Ledger ledger = Ledger.init(repository, key, options)) {
            Tx put = put();
            Write first = new Write(ORDER, new Change.Put(Json.parse(put.snapshot())), TxHash.NONE, put.txId());
            TxHash head = Writes.done(ledger, first);
            assertThat(head).isEqualTo(TxHash.of(put.bytes()));
            Tx patch = patch(head);
            Writes.done(ledger, new Write(ORDER, new Change.Patch(JsonPatch.parse(patch.patch())), head, patch.txId()));
        }
        StringBuilder dump = new StringBuilder();
        for (String commit :
                Native.git(repository, "rev-list", "--reverse", "main").lines().toList()) {
            dump.append("commit ").append(commit).append('\n');
            dump.append(Native.git(repository, "cat-file", "commit", commit));
            dump.append(Native.git(repository, "ls-tree", "-r", "-t", commit)).append('\n');
        }
        assertThat(dump.toString()).isEqualTo(golden("ledger.txt"));
        assertThat(Native.git(repository, "cat-file", "blob", "main:keys/1")).isEqualTo(golden("key-1.txt"));
    }

    private static Tx put() {
        return new Tx(
                Ulid.parse("01JGFJJZ000000000000000001"),
                1_767_225_600_123_456_789L,
                ORDER,
                Op.PUT,
                "{\"currency\":\"EUR\",\"total\":10}",
                "",
                TxHash.NONE,
                0,
                TxHash.NONE,
                "");
    }

    private static Tx patch(TxHash parent) {
        return new Tx(
                Ulid.parse("01JGFJJZ000000000000000002"),
                1_767_225_600_123_456_789L,
                ORDER,
                Op.PATCH,
                "",
                "[{\"op\":\"replace\",\"path\":\"/total\",\"value\":11}]",
                parent,
                0,
                TxHash.NONE,
                "");
    }

    private static String line(Tx tx) {
        byte[] bytes = tx.bytes();
        return tx.op() + " " + HexFormat.of().formatHex(bytes) + " " + TxHash.of(bytes) + "\n";
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = GoldenTest.class.getResourceAsStream("/golden/" + name)) {
            assertThat(in).as("golden file %s", name).isNotNull();
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
