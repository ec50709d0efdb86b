package dev.tallystick.broker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waiting for answers of the group committer. */
final class Futures {

    /** The answer, or the failure itself instead of one that wraps it. */
    static <T> T join(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw unwrapped(e);
        }
    }

    /** As {@link #join}, for what has no answer. */
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
