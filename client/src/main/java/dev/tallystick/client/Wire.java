package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.client.net.Lines;
import java.time.Duration;
import java.util.function.Function;

/** Carries one attempt at a request to the other side, and its answer back. Thread-safe. */
interface Wire {

    /**
     * Sends a request, and reads the whole answer within the limit.
     *
     * @param reading throws {@link ForeignAnswer} if it does not find what it needs
     */
    <T> Attempt<T> attempt(Request request, Duration limit, Function<Reply, T> reading);

    /** Begins to read server-sent events, line by line. Waits only for the beginning; reads a refusal to its end. */
    Attempt<Lines> open(Request request, Duration limit);

    static <T> Attempt<T> failed(AttemptFailure.Kind kind, String detail, Throwable cause) {
        return new Attempt.Failed<>(
                kind != AttemptFailure.Kind.NO_CONNECTION, new AttemptFailure(kind, null, detail), cause);
    }
}
