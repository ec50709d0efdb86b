package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Signalled;
import java.sql.Connection;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What comes in through the library has the same limit as what is recorded, and is refused before anything is written. */
class PayloadSizeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** With its quotes it has exactly as many bytes as are recorded. */
    private static final String LARGEST = "x".repeat(Payloads.MAX_BYTES - 2);

    private static final String TOO_LARGE = LARGEST + "x";

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private Tallystick tally;

    @BeforeEach
    void open() {
        tally = Tallystick.builder().dataSource(postgres.dataSource()).build();
        tally.register("measure", String.class, Integer.class, (ctx, text) -> text.length());
        tally.register(
                "listen",
                String.class,
                Integer.class,
                (ctx, input) -> ctx.await("text", String.class).length());
        tally.register(
                "ask",
                String.class,
                Integer.class,
                (ctx, input) ->
                        ctx.task("describe", String.class, Ask.group("writers")).length());
        tally.start();
    }

    @AfterEach
    void close() {
        tally.close();
    }

    @Test
    void an_input_may_have_one_mebibyte_and_not_a_byte_more() throws Exception {
        JobHandle<Integer> job = tally.submit("measure", LARGEST, Submit.key("largest"));
        assertThat(job.result(PATIENCE)).isEqualTo(LARGEST.length());

        assertThatThrownBy(() -> tally.submit("measure", TOO_LARGE, Submit.key("k")))
                .isInstanceOf(PayloadTooLargeException.class)
                .hasMessageContaining("1,048,577 bytes are too large, at most 1,048,576");
        assertThat(tally.submit("measure", "small", Submit.key("k")).isDuplicate())
                .as("the key is free")
                .isFalse();
    }

    @Test
    void an_input_in_a_transaction_of_the_caller_has_the_same_limit() throws Exception {
        try (Connection connection = postgres.unpooled().getConnection()) {
            connection.setAutoCommit(false);

            assertThatThrownBy(() -> tally.submit(connection, "measure", TOO_LARGE, Submit.key("k")))
                    .isInstanceOf(PayloadTooLargeException.class);

            tally.submit(connection, "measure", "small", Submit.key("k"));
            connection.commit();
        }
    }

    @Test
    void a_signal_has_the_same_limit_and_its_key_stays_free() throws Exception {
        JobHandle<Integer> job = tally.submit("listen", "", Submit.key("k"));

        assertThatThrownBy(() -> job.signal("text", "s1", TOO_LARGE)).isInstanceOf(PayloadTooLargeException.class);

        assertThat(job.signal("text", "s1", LARGEST)).isEqualTo(new Signalled.Kept(false));
        assertThat(job.result(PATIENCE)).isEqualTo(LARGEST.length());
    }

    @Test
    void a_schedule_gives_no_input_that_is_too_large() {
        ScheduleBuilder nightly = tally.schedule("nightly", "measure").cron("0 3 * * *", ZoneOffset.UTC);

        assertThatThrownBy(() -> nightly.input(TOO_LARGE).save()).isInstanceOf(PayloadTooLargeException.class);

        assertThat(tally.schedules().find("nightly")).isEmpty();
    }

    @Test
    void an_answer_of_people_has_the_same_limit_and_the_task_stays_open() throws Exception {
        JobHandle<Integer> job = tally.submit("ask", "", Submit.key("k"));
        Task task = Eventually.value(
                        "writers are asked", () -> tally.tasks().ofGroup("writers"), tasks -> !tasks.isEmpty())
                .getFirst();

        assertThatThrownBy(() -> tally.tasks().resolve(task.id(), "ada", TOO_LARGE, "a1"))
                .isInstanceOf(PayloadTooLargeException.class);

        tally.tasks().resolve(task.id(), "ada", "short", "a1");
        assertThat(job.result(PATIENCE)).isEqualTo(5);
    }
}
