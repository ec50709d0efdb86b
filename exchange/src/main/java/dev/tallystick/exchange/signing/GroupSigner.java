package dev.tallystick.exchange.signing;

import dev.tallystick.sql.LastingThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Lets concurrent callers share a signature: an Ed25519 signature takes as long as a small transaction. It signs together what
 * has queued while it was making the last one. Thread-safe.
 */
public final class GroupSigner implements AutoCloseable {

    private static final int BATCH = 500;

    private static final long COMPANY_NANOS = 1_000_000;

    private record Request(byte[] statement, CompletableFuture<BatchSignature> answer) {}

    private final SigningKey key;
    private final LinkedBlockingQueue<Request> queue = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean closed;

    /** The size of the last batch. */
    private int last;

    public GroupSigner(SigningKey key) {
        this.key = key;
        this.thread = Thread.ofVirtual().name("tally-signer").start(() -> LastingThreads.last(this::run));
    }

    /** Signs all of them at once, on the caller's thread. */
    public List<BatchSignature> sign(List<byte[]> statements) {
        return statements.isEmpty() ? List.of() : BatchSignature.sign(key, statements);
    }

    /** Signs one, together with those of other callers. */
    public BatchSignature sign(byte[] statement) {
        Request request = new Request(statement, new CompletableFuture<>());
        queue.add(request);
        if (closed) {
            signQueued(new ArrayList<>());
        }
        return request.answer().join();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private void run() {
        while (!closed) {
            List<Request> batch = new ArrayList<>();
            try {
                batch.add(queue.take());
                awaitCompany(batch);
            } catch (InterruptedException e) {
                // Only close() ends this, and it has set the flag.
            }
            signQueued(batch);
            last = batch.size();
        }
    }

    /** Callers that came together come together again: a moment's wait saves a signature, and its check, for each. */
    private void awaitCompany(List<Request> batch) throws InterruptedException {
        long end = System.nanoTime() + COMPANY_NANOS;
        while (last > 1 && batch.size() < last) {
            Request next = queue.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                return;
            }
            batch.add(next);
        }
    }

    private void signQueued(List<Request> batch) {
        queue.drainTo(batch, BATCH);
        if (batch.isEmpty()) {
            return;
        }
        try {
            List<BatchSignature> signatures = BatchSignature.sign(
                    key, batch.stream().map(Request::statement).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).answer().complete(signatures.get(i));
            }
        } catch (RuntimeException | Error e) {
            batch.forEach(request -> request.answer().completeExceptionally(e));
        }
    }
}
