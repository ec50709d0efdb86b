package dev.tallystick.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for futures. */
public final class Futures {

    private Futures() {}

    /** Returns the answer, or throws the failure itself, without the wrapper around it. */
    public static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error error -> throw error;
                case null, default -> throw e;
            }
        }
    }
}
