package dev.tallystick.engine.seal;

import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.witness.Cosigning;
import dev.tallystick.log.witness.Witnesses;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.TransactionException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has checkpoints cosigned that are anchored already. It runs beside sealing and takes nothing from it: however slow or hostile
 * witnesses are, jobs are sealed, and receipts are made without them.
 */
final class CheckpointCosigner implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointCosigner.class);

    /** Also without a new batch: a cosignature says until when nothing was added. */
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    /** Batches that follow each other faster share a round. */
    private static final Duration REST = Duration.ofSeconds(2);

    private static final Duration STOPPING = Duration.ofSeconds(1);

    private final Database database;
    private final Witnesses witnesses;
    private final Supplier<@Nullable LogSnapshot> newest;
    private final SealStore store = new SealStore();
    private final Loop loop = new Loop("cosigner", INTERVAL, REST, this::cosign);

    /** The last log that a quorum cosigned; null if the last round brought none. */
    private volatile @Nullable LogSnapshot cosigned;

    private Map<String, Cosigning> last = Map.of();

    /** @param newest the log as of the last anchor; null if this process does not seal */
    CheckpointCosigner(Database database, Witnesses witnesses, Supplier<@Nullable LogSnapshot> newest) {
        this.database = database;
        this.witnesses = witnesses;
        this.newest = newest;
    }

    void start() {
        if (!witnesses.isEmpty()) {
            loop.start();
        }
    }

    /** There is a new checkpoint. */
    void ring() {
        loop.ring();
    }

    @Nullable
    LogSnapshot cosigned() {
        return cosigned;
    }

    /** Asks all witnesses once. */
    void cosign() {
        LogSnapshot log = newest.get();
        SignedNote signed = log == null ? null : log.checkpoint().orElse(null);
        if (log == null || signed == null) {
            cosigned = null;
            return;
        }
        try {
            Witnesses.Round round = witnesses.ask(log, signed, note -> keep(log, note));
            tell(round.answers());
            if (round.hasQuorum()) {
                keep(log, round.checkpoint());
            } else {
                cosigned = null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keep(LogSnapshot log, SignedNote note) {
        try {
            int kept = database.transact(
                    "keep a cosigned checkpoint", tx -> store.witnessed(tx, log.size(), note.toString()));
            cosigned = kept == 1 ? log.with(note) : null;
        } catch (TransactionException e) {
            LOG.warn("a cosigned checkpoint could not be stored; the next round brings another", e);
        }
    }

    /** Says once what each witness answers, until it answers differently. */
    private void tell(Map<String, Cosigning> answers) {
        answers.forEach((name, answer) -> {
            Cosigning before = last.get(name);
            boolean alike = before != null && before.getClass() == answer.getClass();
            switch (answer) {
                case Cosigning.Cosigned done -> {
                    if (before != null && !alike) {
                        LOG.info("the witness {} cosigns again", name);
                    }
                }
                case Cosigning.Contradicted contradicted -> {
                    if (!alike) {
                        LOG.error("the witness {} contradicts this log: {}", name, contradicted.why());
                    }
                }
                case Cosigning.Refused refused -> {
                    if (!alike) {
                        LOG.warn("the witness {} does not cosign: {}", name, refused.why());
                    }
                }
                case Cosigning.Unanswered unanswered -> {
                    if (!alike) {
                        LOG.warn("the witness {} does not answer: {}", name, unanswered.why());
                    }
                }
            }
        });
        last = answers;
    }

    @Override
    public void close() {
        loop.end();
        loop.awaitEnd(STOPPING);
        witnesses.close();
    }
}
