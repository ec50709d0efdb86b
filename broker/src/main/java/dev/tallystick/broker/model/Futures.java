package dev.tallystick.broker.model;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for answers of the group committer. */
public final class Futures {

    /** Returns the answer, or throws the original failure instead of a wrapper. */
    public static <T> T join(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw unwrapped(e);
        }
    }

    /** Like {@link #join}, without a result. */
    static void await(CompletableFuture<Void> end) {
        try {
            end.join();
        } catch (CompletionException e) {
            throw unwrapped(e);
        }
    }

    private static RuntimeException unwrapped(CompletionException wrapper) {
        return switch (wrapper.getCause()) {
            case RuntimeException failure -> failure;
            case Error error -> throw error;
            case null, default -> wrapper;
        };
    }

    private Futures() {}
}
