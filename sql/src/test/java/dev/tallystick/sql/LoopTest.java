package dev.tallystick.sql;

import dev.tallystick.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LoopTest {

    static List<Throwable> failures() {
        return List.of(
                new DefiniteFailureException(DefiniteFailureException.Reason.UNAVAILABLE, "it is away", null),
                new IllegalStateException("a mistake"),
                new OutOfMemoryError("planted"),
                new AssertionError("planted"),
                new SQLException("planted"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void a_turn_that_fails_is_followed_by_the_next(Throwable failure) {
        AtomicInteger turns = new AtomicInteger();
        Loop loop = new Loop("test", Duration.ofMillis(1), () -> {
            turns.incrementAndGet();
            LoopTest.<RuntimeException>raise(failure);
        });
        loop.start();
        try {
            Eventually.holds("it continues", () -> turns.get() > 2);
        } finally {
            loop.end();
        }
    }

    @Test
    void a_turn_that_leaves_its_thread_interrupted_is_followed_by_the_next() {
        AtomicInteger turns = new AtomicInteger();
        Loop loop = new Loop("test", Duration.ofMillis(1), () -> {
            turns.incrementAndGet();
            Thread.currentThread().interrupt();
        });
        loop.start();
        try {
            Eventually.holds("it continues", () -> turns.get() > 2);
        } finally {
            loop.end();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // any failure, checked or not
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }
}
