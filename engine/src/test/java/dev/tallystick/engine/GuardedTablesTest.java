package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.TestPostgres;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database itself refuses impossible rows, whatever writes them. */
class GuardedTablesTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void closeAJob() {
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        Engine engine = workbench.start();
        workbench.await(engine, workbench.submit(engine, "one", "a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "job set semaphore = -1",
                "job set semaphore = 1",
                "job set threshold = -1",
                "job set priority = 3",
                "job set outcome = 'perhaps'",
                "job set closed_at = null",
                "job set closed_by = null",
                "activity set ledger = 1000000000000000",
                "activity set ledger = -1",
                "activity set attempts = -1",
                "guid set ledger = 1000000000000",
                "guid set ledger = -1",
                "guid set ordinal = -1",
                "key set key = ''",
                "key set key = repeat('k', 256)",
                "key set door = 'window'",
                "key set status = 'perhaps'",
                "key set status = 'rejected'",
                "key set fingerprint = '\\x00'",
                "key set response = convert_to(repeat('r', 1048577), 'UTF8')",
                "key set destination = null",
                "key set expires_at = null",
                "key set history_available = true, history_id = null",
                "key set owner = 'me'",
                "key set fence = 1",
                "key set door = 'reserve'",
                "key set door = 'reserve', owner = 'me', fence = 0",
                "key set door = 'reserve', owner = 'me', fence = 1, status = 'pending'",
            })
    void what_no_row_may_say_is_refused(String change) {
        assertThatThrownBy(() -> write(change))
                .isInstanceOf(DefiniteFailureException.class)
                .hasStackTraceContaining("violates check constraint");
    }

    @Test
    void what_a_row_may_say_is_not() {
        write("key set door = 'reserve', owner = 'me', fence = 1");
        write("key set status = 'pending', expires_at = null, response = null");
    }

    private void write(String change) {
        workbench.database().transact("write by hand", tx -> tx.update("update tally." + change));
    }
}
