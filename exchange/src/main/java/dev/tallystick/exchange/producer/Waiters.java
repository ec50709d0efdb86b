package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.sql.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Callers that wait for outcomes. What this instance records they learn at once, the rest at the next poll. Thread-safe. */
final class Waiters {

    private final Database database;
    private final PostingStore store;
    private final Map<MessageId, CompletableFuture<Settled>> waiting = new ConcurrentHashMap<>();

    Waiters(Database database, PostingStore store) {
        this.database = database;
        this.store = store;
    }

    CompletableFuture<Settled> await(MessageId id) {
        CompletableFuture<Settled> future = awaitNew(id);
        if (!future.isDone()) {
            // It may have been settled before we waited.
            database.read("read an outcome", tx -> store.outcome(tx, id)).ifPresent(settled -> complete(id, settled));
        }
        return future;
    }

    /** As {@link #await}, for a posting that is not recorded yet. */
    CompletableFuture<Settled> awaitNew(MessageId id) {
        CompletableFuture<Settled> future = waiting.computeIfAbsent(id, first -> new CompletableFuture<>());
        CompletableFuture<Settled> unused = future.whenComplete((settled, failure) -> waiting.remove(id, future));
        return future;
    }

    void complete(MessageId id, Settled settled) {
        CompletableFuture<Settled> future = waiting.remove(id);
        if (future != null) {
            // Not on this thread, for what depends on it is the caller's code.
            CompletableFuture<Settled> unused = future.completeAsync(() -> settled, Thread::startVirtualThread);
        }
    }

    /** Looks for outcomes that other instances have recorded. */
    void poll() {
        List<MessageId> ids = new ArrayList<>(waiting.keySet());
        for (int from = 0; from < ids.size(); from += ExchangeSettings.BATCH) {
            List<MessageId> some = ids.subList(from, Math.min(ids.size(), from + ExchangeSettings.BATCH));
            database.read("read outcomes", tx -> store.outcomes(tx, some))
                    .forEach(outcome -> complete(outcome.id(), outcome.settled()));
        }
    }

    void close() {
        waiting.values().forEach(future -> future.completeExceptionally(new CancellationException("closed")));
    }
}
