package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.producer.OriginStore.Untold;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes outcomes to the origins of their postings, and forgets an origin once it knows. Thread-safe. */
final class OriginTeller {

    private static final Logger LOG = LoggerFactory.getLogger(OriginTeller.class);

    private final Database database;
    private final OriginStore store;
    private final Origins origins;
    private final Loop loop;

    OriginTeller(Database database, Participant producer, Origins origins, Duration poll) {
        this.database = database;
        this.store = new OriginStore(producer);
        this.origins = origins;
        this.loop = Loop.withFirst(Duration.ZERO, "outcomes-" + producer, poll, this::tellAll);
    }

    void start() {
        loop.start();
    }

    void ring() {
        loop.ring();
    }

    void end(Duration limit) {
        loop.end();
        loop.awaitEnd(limit);
    }

    /** An origin that fails does not hold up those behind it; the next run tries it again. */
    private void tellAll() {
        Instant after = Instant.EPOCH;
        String afterId = "";
        List<Untold> batch;
        do {
            Instant from = after;
            String fromId = afterId;
            batch = database.transact(
                    "read untold outcomes", tx -> store.untold(tx, from, fromId, ExchangeSettings.BATCH));
            List<Untold> told = tell(batch);
            if (!told.isEmpty()) {
                database.transact("forget origins", tx -> {
                    store.told(tx, told);
                    return true;
                });
            }
            if (!batch.isEmpty()) {
                after = batch.getLast().settledAt();
                afterId = batch.getLast().id().value();
            }
        } while (batch.size() == ExchangeSettings.BATCH);
    }

    private List<Untold> tell(List<Untold> batch) {
        List<List<CompletableFuture<?>>> learning = new ArrayList<>();
        for (Untold each : batch) {
            learning.add(each.origins()
                    .lines()
                    .<CompletableFuture<?>>map(line -> learn(line, each))
                    .toList());
        }
        List<Untold> told = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            try {
                learning.get(i).forEach(CompletableFuture::join);
                told.add(batch.get(i));
            } catch (CompletionException | CancellationException e) {
                LOG.warn(
                        "the origin of posting {} has not learned its outcome; trying again",
                        batch.get(i).id(),
                        e);
            }
        }
        return told;
    }

    private CompletableFuture<?> learn(String origin, Untold untold) {
        try {
            return origins.learn(origin, untold.id(), untold.settled());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
