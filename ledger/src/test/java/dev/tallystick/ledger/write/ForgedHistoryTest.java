package dev.tallystick.ledger.write;

import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.put;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.Native;
import dev.tallystick.ledger.copies.Fetch;
import dev.tallystick.ledger.copies.Merge;
import dev.tallystick.ledger.history.Forgery;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.CommitId;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A writer signs only what it has verified: whatever an attacker puts on {@code main}, we never sign on top of it. */
class ForgedHistoryTest {

    private static final StreamId ORDER = StreamId.of("orders", "o-1");
    private static final StreamId FORGED = StreamId.of("orders", "forged");

    @TempDir
    Path scratch;

    private final SigningKey root = SigningKey.generate();
    private Path repository;
    private TxHash head;

    @BeforeEach
    void write_a_small_ledger() throws IOException {
        repository = scratch.resolve("ledger.git");
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, TxHash.NONE, "{\"n\":1}"));
            head = done(ledger, put(ORDER, head, "{\"n\":2}"));
        }
    }

    static Stream<Forgery.Alteration> forgeries() {
        return Stream.of(
                Forgery.unsigned(),
                new Forgery.Alteration(),
                replacing("Tally-Position: \\d+", "Tally-Position: 7"),
                replacing("Tally-Previous: [0-9a-f]+", "Tally-Previous: " + "1".repeat(64)));
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void a_forged_commit_is_not_built_upon_by_the_next_process(Forgery.Alteration alteration) throws IOException {
        CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger(), alteration);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertRefused(ledger, forged);
        }
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void a_forged_commit_is_not_built_upon_by_a_ledger_that_is_open(Forgery.Alteration alteration) throws IOException {
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, head, "{\"n\":3}"));
            CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger(), alteration);
            assertRefused(ledger, forged);
        }
    }

    @ParameterizedTest
    @MethodSource("forgeries")
    void a_forged_commit_is_not_built_upon_where_nothing_was_verified_before(Forgery.Alteration alteration)
            throws IOException {
        CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger(), alteration);
        Files.delete(repository.resolve("tally/verified"));
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertRefused(ledger, forged);
        }
    }

    @Test
    void a_history_that_was_rolled_back_is_not_built_upon() throws IOException {
        Native.git(repository, "update-ref", "refs/heads/main", "main~1");
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertRefused(ledger, ledger.commit());
        }
    }

    @Test
    void a_history_rewritten_with_a_retired_key_is_not_built_upon() throws IOException {
        String before = Native.git(repository, "rev-parse", "main").strip();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            ledger.rotateKey(SigningKey.generate());
        }
        Native.git(repository, "update-ref", "refs/heads/main", before);
        CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), root);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertRefused(ledger, forged);
        }
    }

    @Test
    void commits_of_another_process_with_the_key_are_verified_and_built_upon() throws IOException {
        Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), root);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            done(ledger, put(ORDER, head, "{\"n\":3}"));
        }
    }

    @Test
    void a_record_of_what_was_verified_that_names_a_forgery_is_not_believed() throws IOException {
        CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger());
        Path record = repository.resolve("tally/verified");
        String text = Files.readString(record);
        for (String changed : List.of(forged.hex() + text.substring(40), forged.hex() + "\n", "", "garbage")) {
            Files.writeString(record, changed);
            try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
                assertRefused(ledger, forged);
            }
        }
    }

    @Test
    void a_record_under_a_key_that_a_stranger_put_here_is_not_believed() throws IOException {
        SigningKey stranger = stranger();
        CommitId forged = Forgery.in(repository).append(put(FORGED, TxHash.NONE, "{}"), stranger);
        new Signers(repository.resolve("tally")).add(stranger);
        byte[] mac = stranger.mac(("tally-verified-v1 " + forged.hex()).getBytes(US_ASCII));
        String line = forged.hex() + " " + Signers.fingerprint(stranger.publicKey()) + " "
                + HexFormat.of().formatHex(mac) + "\n";
        Files.writeString(repository.resolve("tally/verified"), line);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            assertRefused(ledger, forged);
        }
    }

    @Test
    void nothing_is_fetched_or_merged_onto_a_forged_commit() throws IOException {
        Path copy = scratch.resolve("copy.git");
        Ledger.cloneFrom(repository.toString(), copy, Trust.nothing(), LedgerOptions.defaults(), Progress.UNSEEN);
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            head = done(ledger, put(ORDER, head, "{\"n\":3}"));
        }
        CommitId forged = Forgery.in(copy).append(put(FORGED, TxHash.NONE, "{}"), stranger());
        try (Ledger ledger = Ledger.open(copy, LedgerOptions.defaults())) {
            ledger.addSigningKey(root);
            assertThat(ledger.fetch("origin")).isInstanceOf(Fetch.Refused.class);
            assertThat(ledger.merge("origin")).isInstanceOf(Merge.Refused.class);
            assertThat(ledger.commit()).isEqualTo(forged);
        }
    }

    private void assertRefused(Ledger ledger, CommitId main) throws IOException {
        assertThat(ledger.append(put(ORDER, head, "{\"n\":9}"))).isInstanceOf(Append.Refused.class);
        assertThat(ledger.putSchema(new Collection("orders"), dev.tallystick.core.Json.parse("{}")))
                .isInstanceOf(Append.Refused.class);
        assertThat(ledger.commit()).isEqualTo(main);
    }

    private static SigningKey stranger() {
        return SigningKey.generate();
    }

    /** A root with a correct hash and a false claim: only the history before it shows that it is wrong. */
    private static Forgery.Alteration replacing(String what, String by) {
        return new Forgery.Alteration() {
            @Override
            public String toString() {
                return by.substring(0, by.indexOf(':')) + " changed";
            }

            @Override
            public String message(String honest) {
                return Forgery.rooted(honest.replaceFirst(what, by));
            }
        };
    }
}
