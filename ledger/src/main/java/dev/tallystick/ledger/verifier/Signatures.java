package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.signature.SshKey;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Checks signatures beside everything else, which takes about as long; complaints come in the order of the commits. */
final class Signatures implements AutoCloseable {

    private static final int MOST_WAITING = 256;

    private record Waiting(String commit, long position, Future<Boolean> signed) {}

    private final Findings findings;
    private final ExecutorService workers = Workers.start();
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    Signatures(Findings findings) {
        this.findings = findings;
    }

    /** Demands that this key has signed the commit, and that there is one. */
    void demand(SignedCommit commit, long position, @Nullable SshKey key) throws IOException {
        if (waiting.size() == MOST_WAITING) {
            settle(waiting.remove());
        }
        waiting.add(new Waiting(commit.id(), position, workers.submit(() -> key != null && commit.isSignedBy(key))));
    }

    /** Waits for all signatures; returns whether the last one is good. */
    boolean settle() throws IOException {
        boolean last = true;
        while (!waiting.isEmpty()) {
            last = settle(waiting.remove());
        }
        return last;
    }

    @Override
    public void close() {
        workers.close();
    }

    private boolean settle(Waiting one) throws IOException {
        boolean signed;
        try {
            signed = one.signed.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the verification was interrupted", e);
        }
        if (!signed) {
            findings.add(
                    Finding.Kind.SIGNATURE,
                    "commit " + one.commit,
                    "it is not signed by the key in force at position " + one.position);
        }
        return signed;
    }
}
