package dev.tallystick.engine.model;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The lanes of a repeated job, by version. Computed before the transaction that needs one of them. */
public final class RepeatedLanes {

    private final IntFunction<@Nullable String> question;
    private final Map<Integer, Supplier<@Nullable String>> answers = new HashMap<>();

    public RepeatedLanes(IntFunction<@Nullable String> question) {
        this.question = question;
    }

    /** Computes the lane now. If that throws, {@link #of} throws the same exception. */
    public RepeatedLanes ask(int version) {
        try {
            String lane = question.apply(version);
            answers.put(version, () -> lane);
        } catch (RuntimeException refused) {
            answers.put(version, () -> {
                throw refused;
            });
        }
        return this;
    }

    /** The lane in a version; null for none. Computed here only if the version became the newest a moment ago. */
    @Nullable
    public String of(int version) {
        return answers.getOrDefault(version, () -> question.apply(version)).get();
    }
}
