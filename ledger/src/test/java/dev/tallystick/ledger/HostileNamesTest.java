package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostileNamesTest {

    private static final List<String> AS_TEXT = List.of(
            "..",
            ".",
            ".git",
            "x.lock",
            "HEAD",
            "con",
            "a/../../b",
            "/etc/passwd",
            "-rf",
            "😀",
            "é",
            "e\u0301",
            "A",
            "a",
            " ",
            "x ",
            "a\\b",
            "$(reboot)",
            "'; drop table",
            "a".repeat(1024));

    @TempDir
    Path scratch;

    @Test
    void a_document_may_be_called_anything_and_stays_in_its_collection() throws IOException {
        Path repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, SigningKey.generate(), LedgerOptions.defaults())) {
            for (String name : AS_TEXT) {
                done(
                        ledger,
                        put(
                                StreamId.of("names", name),
                                TxHash.NONE,
                                Json.of(name).canonical()));
            }
            for (String name : AS_TEXT) {
                assertThat(ledger.read(StreamId.of("names", name)))
                        .isInstanceOfSatisfying(
                                Document.Present.class,
                                found -> assertThat(found.body()).isEqualTo(Json.of(name)));
            }
            assertThat(ledger.list(new Collection("names"), "", 1_000)).hasSize(AS_TEXT.size());
        }
        assertThat(Native.git(repository, "ls-tree", "-r", "--name-only", "main")
                        .lines())
                .allMatch(path -> path.matches("keys/1|documents/names/../../DOC_[0-9a-f]{64}/(1/1|HEAD)"));
        Native.accepts(repository, scratch);
    }

    @Test
    void a_document_whose_name_is_not_text_is_refused() {
        for (String name :
                List.of("", "a\0b", "line\nline", "\u0085", "\ud800", "x\udc00", "a".repeat(1025), "a".repeat(4096))) {
            assertThatIllegalArgumentException().isThrownBy(() -> StreamId.of("names", name));
        }
    }

    @Test
    void a_collection_whose_name_is_not_plain_is_refused() {
        for (String name :
                List.of("", "..", ".git", "a/b", "A", "x.lock", "a b", "é", "😀", "-x", "_x", "a\0", "a".repeat(65))) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Collection(name));
        }
    }
}
