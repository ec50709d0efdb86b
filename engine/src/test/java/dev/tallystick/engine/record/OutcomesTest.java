package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Callers that wait for jobs to close, on a database without tables: every query fails. */
class OutcomesTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perClass();

    private static final JobId JOB = new JobId(new UUID(0, 1));

    @Test
    void who_was_interrupted_is_not_looked_for_any_more() {
        Outcomes outcomes =
                new Outcomes(Database.on(postgres.dataSource()), new Continuations(new PostingStore(), new JobStore()));
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> outcomes.awaitNews(JOB, Duration.ofHours(1))).isInstanceOf(InterruptedException.class);

        assertThatCode(outcomes::look).doesNotThrowAnyException();
    }
}
