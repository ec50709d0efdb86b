package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Finding;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verification works in portions; whatever their size, it skips no commit of a long history. */
class LongHistoryTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final int COMMITS = 300;

    @TempDir
    Path scratch;

    @Test
    void every_commit_of_a_long_history_is_verified() throws IOException {
        Path repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            TxHash head = TxHash.NONE;
            for (int n = 1; n <= COMMITS; n++) {
                head = done(ledger, put(ORDER, head, "{\"n\":" + n + "}"));
            }
        }
        Trust trust = Trust.in(root.publicKey().line());
        Report report = Verifier.verify(repository, trust, Verifier.Depth.DEEP);
        assertThat(report.findings()).isEmpty();
        assertThat(report.commits()).isEqualTo(COMMITS + 1);
        assertThat(report.transactions()).isEqualTo(COMMITS);
        assertThat(report.position()).isEqualTo(COMMITS);

        forgeOneInTheMiddle(repository);
        for (Verifier.Depth depth : Verifier.Depth.values()) {
            assertThat(Verifier.verify(repository, trust, depth).findings())
                    .as("%s", depth)
                    .extracting(Finding::kind)
                    .contains(Finding.Kind.SIGNATURE);
        }
    }

    /** Removes the signature of a commit in the middle and rebases all later commits on top of it. */
    private void forgeOneInTheMiddle(Path repository) throws IOException {
        String parent = "";
        int at = 0;
        for (String id :
                Native.git(repository, "rev-list", "--reverse", "main").lines().toList()) {
            String commit = Native.git(repository, "cat-file", "commit", id);
            String forged = ++at == COMMITS / 2
                    ? commit.replaceFirst("(?s)gpgsig .*?-----END SSH SIGNATURE-----\n", "")
                    : commit;
            forged = parent.isEmpty() ? forged : forged.replaceFirst("parent [0-9a-f]+", "parent " + parent);
            if (forged.equals(commit)) {
                parent = id;
                continue;
            }
            Path file = scratch.resolve("commit");
            Files.writeString(file, forged);
            parent = Native.git(repository, "hash-object", "-t", "commit", "-w", file.toString())
                    .strip();
        }
        Native.git(repository, "update-ref", "refs/heads/main", parent);
    }
}
