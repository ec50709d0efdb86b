package dev.tallystick.ledger;

import static dev.tallystick.ledger.Writes.delete;
import static dev.tallystick.ledger.Writes.done;
import static dev.tallystick.ledger.Writes.patch;
import static dev.tallystick.ledger.Writes.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.SigningKey;
import dev.tallystick.ledger.tx.Collection;
import dev.tallystick.ledger.tx.LogEntry;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.TxHash;
import dev.tallystick.ledger.verifier.Report;
import dev.tallystick.ledger.verifier.Trust;
import dev.tallystick.ledger.verifier.Verifier;
import dev.tallystick.ledger.write.LedgerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A small ledger with a bit of everything: one part packed by native Git with deltas, one part in our packs, one part loose; a
 * ref in two places, a schema, two keys, a foreign commit.
 */
public record SmallLedger(Path repository, Trust trust) {

    static final List<StreamId> STREAMS =
            List.of(StreamId.of("orders", "o-1"), StreamId.of("orders", "o-2"), StreamId.of("notes", "n"));

    private static final String FILES =
            ".*/(HEAD|packed-refs|refs/heads/main|objects/../.{38}|objects/pack/pack-.*(pack|idx))";

    public static SmallLedger make(Path scratch) throws IOException {
        Path repository = scratch.resolve("ledger.git");
        SigningKey root = SigningKey.generate();
        try (Ledger ledger = Ledger.init(repository, root, LedgerOptions.defaults())) {
            TxHash order = done(ledger, put(STREAMS.get(0), TxHash.NONE, "{\"n\":1,\"text\":\"some text\"}"));
            done(ledger, patch(STREAMS.get(0), order, "[{\"op\":\"add\",\"path\":\"/m\",\"value\":2}]"));
            TxHash note = done(ledger, put(STREAMS.get(2), TxHash.NONE, "\"a note\""));
            Native.git(repository, "repack", "-a", "-d", "-q");
            Native.git(repository, "pack-refs", "--all");
            ledger.putSchema(new Collection("orders"), Json.parse("{\"type\":\"object\"}"));
            ledger.rotateKey(SigningKey.generate());
            done(ledger, put(STREAMS.get(1), TxHash.NONE, "{}"));
            foreignCommit(repository, scratch.resolve("foreign"));
            done(ledger, delete(STREAMS.get(2), note));
            Anchored head = ledger.head();
            Trust trust = Trust.in(root.publicKey().line()).anchoredAt(head.position(), head.root());
            SmallLedger made = new SmallLedger(repository, trust);
            assertThat(made.verify().findings()).isEmpty();
            Native.accepts(repository, scratch);
            return made;
        }
    }

    public Report verify() throws IOException {
        return Verifier.verify(repository, trust, Verifier.Depth.DEEP);
    }

    /** All answers that it can give. */
    public List<Object> answers() throws IOException {
        List<Object> answers = new ArrayList<>();
        try (Ledger ledger = Ledger.open(repository, LedgerOptions.defaults())) {
            for (StreamId stream : STREAMS) {
                List<LogEntry> log = ledger.log(stream, Integer.MAX_VALUE, 100);
                answers.add(log);
                for (LogEntry entry : log) {
                    answers.add(ledger.readAt(stream, entry.version()));
                }
            }
            answers.add(ledger.schema(new Collection("orders")));
            answers.add(ledger.keys());
            answers.add(ledger.head());
            answers.add(ledger.collections());
        }
        return answers;
    }

    /** The files that hold objects or name them. */
    public List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(repository)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.startsWith(repository.resolve("tally")))
                    .filter(file -> file.toString().matches(FILES))
                    .sorted()
                    .toList();
        }
    }

    private static void foreignCommit(Path repository, Path work) throws IOException {
        Native.git(repository, "clone", "-q", repository.toString(), work.toString());
        Files.writeString(work.resolve("README"), "another person's file\n");
        Native.git(work, "add", "README");
        Native.git(work, "commit", "-q", "-m", "add a readme");
        Native.git(work, "push", "-q", "origin", "main");
    }
}
