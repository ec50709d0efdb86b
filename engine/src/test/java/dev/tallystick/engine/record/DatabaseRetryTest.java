package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.UnknownOutcomeException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DatabaseRetryTest {

    private final DefiniteFailureException away =
            new DefiniteFailureException(DefiniteFailureException.Reason.UNAVAILABLE, "it is away", null);
    private final UnknownOutcomeException lost = new UnknownOutcomeException("the reply is lost", null);

    private final DatabaseRetry three = new DatabaseRetry(() -> false, 3);

    private static Supplier<String> failing(TransactionException... failures) {
        Iterator<TransactionException> next = List.of(failures).iterator();
        return () -> {
            if (next.hasNext()) {
                throw next.next();
            }
            return "done";
        };
    }

    @Test
    void what_may_have_happened_once_is_unknown_whatever_became_of_the_other_attempts() {
        assertThatThrownBy(() -> three.insist(failing(away, lost, away), failure -> true))
                .isSameAs(lost);
    }

    @Test
    void what_never_happened_is_said_to_be_so() {
        assertThatThrownBy(() -> three.insist(failing(away, away, away), failure -> true))
                .isSameAs(away);
    }

    @Test
    void an_answer_in_time_is_the_answer() {
        assertThat(three.insist(failing(lost, away), failure -> true)).isEqualTo("done");
    }

    @Test
    void a_body_that_gets_no_answer_is_stopped_without_having_lost_its_lease() {
        assertThatThrownBy(() -> three.answer(failing(lost, lost, lost)))
                .isInstanceOfSatisfying(
                        ExecutionStopped.class,
                        stopped -> assertThat(stopped.reason()).isEqualTo(ExecutionStopped.Reason.OUTCOME_UNKNOWN));
    }
}
