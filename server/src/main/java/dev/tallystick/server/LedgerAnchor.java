package dev.tallystick.server;

import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.ledger.Ledger;
import dev.tallystick.ledger.tx.Append;
import dev.tallystick.ledger.tx.Change;
import dev.tallystick.ledger.tx.Document;
import dev.tallystick.ledger.tx.StreamId;
import dev.tallystick.ledger.tx.Write;
import dev.tallystick.ledger.write.LedgerOptions;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.sql.Loop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the checkpoint of the sealed log into a Git ledger, regularly and at the end: every clone of the ledger holds an anchor of
 * the log. A checkpoint that does not follow the one in the ledger is not written.
 */
final class LedgerAnchor implements AutoCloseable {

    /** The collection of the documents; the document of a log has the name of its origin. */
    static final String COLLECTION = "log-checkpoints";

    /** Half of what is promised. */
    private static final Duration INTERVAL = Duration.ofMinutes(5);

    private static final Duration STOPPING = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(LedgerAnchor.class);

    private final Ledger ledger;
    private final Supplier<Optional<SignedNote>> newest;
    private final Ids ids;
    private final Loop loop = Loop.withFirst(Duration.ofSeconds(5), "ledger-anchor", INTERVAL, this::anchor);

    private LedgerAnchor(Ledger ledger, Supplier<Optional<SignedNote>> newest, Ids ids) {
        this.ledger = ledger;
        this.newest = newest;
        this.ids = ids;
    }

    /** @throws IllegalArgumentException if there is no ledger */
    static LedgerAnchor open(Path repository, Supplier<Optional<SignedNote>> newest, Ids ids) {
        try {
            return new LedgerAnchor(Ledger.open(repository, LedgerOptions.defaults()), newest, ids);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open the ledger " + repository, e);
        }
    }

    void start() {
        loop.start();
    }

    /** Writes the newest checkpoint, if the ledger does not have it. */
    void anchor() {
        newest.get().ifPresent(this::anchor);
    }

    private void anchor(SignedNote note) {
        Checkpoint checkpoint = Checkpoint.parse(note.text());
        StreamId stream = StreamId.of(COLLECTION, checkpoint.origin());
        try {
            Document document = ledger.read(stream);
            Optional<Checkpoint> there = there(document);
            if (there.isPresent() && there.get().equals(checkpoint)) {
                return;
            }
            if (there.isPresent() && there.get().size() >= checkpoint.size()) {
                LOG.error(
                        "the ledger has a checkpoint of size {} of the log, which does not come before size {}: not anchored",
                        there.get().size(),
                        checkpoint.size());
                return;
            }
            Json body = new Json.ObjectValue(
                    Map.of("checkpoint", Json.of(note.toString()), "size", Json.of(checkpoint.size())));
            tell(ledger.append(new Write(stream, new Change.Put(body), document.head(), ids.nextUlid())));
        } catch (IOException e) {
            LOG.warn("the log could not be anchored in the ledger", e);
        }
    }

    private static Optional<Checkpoint> there(Document document) throws IOException {
        if (!(document instanceof Document.Present present)) {
            return Optional.empty();
        }
        if (present.body() instanceof Json.ObjectValue body
                && body.members().get("checkpoint") instanceof Json.StringValue note) {
            try {
                return Optional.of(
                        Checkpoint.parse(SignedNote.parse(note.value()).text()));
            } catch (IllegalArgumentException e) {
                throw new IOException("the ledger's document of the log is malformed", e);
            }
        }
        throw new IOException("the ledger's document of the log has no checkpoint");
    }

    private static void tell(Append append) {
        switch (append) {
            case Append.Appended done -> LOG.debug("anchored the log in commit {}", done.commit());
            case Append.HeadChanged changed -> LOG.info("another server anchored the log at the same moment");
            case Append.Invalid invalid -> LOG.error("the log could not be anchored: {}", invalid.reason());
            case Append.Refused refused -> LOG.error("the ledger refuses the anchor of the log: {}", refused.reason());
            case Append.Unavailable unavailable ->
                LOG.warn("it is unknown whether the log was anchored; the next time shows: {}", unavailable.reason());
        }
    }

    @Override
    public void close() {
        loop.end();
        loop.awaitEnd(STOPPING);
        anchor();
        try {
            ledger.close();
        } catch (IOException e) {
            LOG.warn("the ledger could not be closed", e);
        }
    }
}
