package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that are submitted together, each with its own outcome. */
class SubmitAllTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private Tallystick tally;

    @BeforeEach
    void open() {
        tally = Tallystick.builder().dataSource(postgres.dataSource()).build();
        tally.register("greet", String.class, String.class, (ctx, name) -> "hello " + name);
        tally.start();
    }

    @AfterEach
    void close() {
        tally.close();
    }

    @Test
    void many_jobs_are_submitted_together_and_answered_in_their_order() throws Exception {
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            requests.add(Submit.key("k" + i).with("guest " + i));
        }

        List<Submitted<String>> submitted = tally.submitAll("greet", requests);

        assertThat(submitted).hasSize(200);
        for (int i = 0; i < 200; i++) {
            assertThat(submitted.get(i).job().result(PATIENCE)).isEqualTo("hello guest " + i);
        }
    }

    @Test
    void the_guests_of_the_guide_are_greeted() throws Exception {
        List<Submitted<String>> submitted = tally.submitAll(
                "greet", List.of(Submit.key("k1").with("Ada"), Submit.key("k2").with("Grace")));

        assertThat(submitted.getLast()).isInstanceOf(Submitted.Taken.class);
        assertThat(submitted.getLast().job().result(PATIENCE)).isEqualTo("hello Grace");
    }

    @Test
    void a_key_that_stands_for_another_request_is_refused_alone() throws Exception {
        tally.submit("greet", "Ada", Submit.key("taken"));

        List<Submitted<String>> submitted = tally.submitAll(
                "greet",
                List.of(
                        Submit.key("before").with("Grace"),
                        Submit.key("taken").with("Barbara"),
                        Submit.key("taken").with("Ada"),
                        Submit.key("after").with("Edsger")));

        assertThat(submitted.get(0).job().result(PATIENCE)).isEqualTo("hello Grace");
        assertThat(submitted.get(1))
                .isInstanceOfSatisfying(
                        Submitted.Refused.class,
                        refused -> assertThat(refused.reason()).isInstanceOf(KeyReusedException.class));
        assertThatThrownBy(() -> submitted.get(1).job()).isInstanceOf(KeyReusedException.class);
        assertThat(submitted.get(2).job().isDuplicate()).isTrue();
        assertThat(submitted.get(3).job().result(PATIENCE)).isEqualTo("hello Edsger");
    }

    @Test
    void one_key_twice_among_them_is_one_job() {
        List<Submitted<String>> submitted = tally.submitAll(
                "greet", List.of(Submit.key("k").with("Ada"), Submit.key("k").with("Ada")));

        assertThat(submitted.get(1).job().id()).isEqualTo(submitted.get(0).job().id());
    }

    @Test
    void jobs_without_a_key_are_all_made() {
        List<Submitted<String>> submitted = tally.submitAll(
                "greet",
                List.of(
                        Submit.unkeyed().with("Ada"),
                        Submit.unkeyed().with("Ada"),
                        Submit.unkeyed().with("Ada")));

        Set<JobId> jobs = new HashSet<>();
        submitted.forEach(each -> jobs.add(each.job().id()));
        assertThat(jobs).hasSize(3);
    }

    @Test
    void an_input_that_the_codec_cannot_write_is_refused_alone() throws Exception {
        tally.close();
        tally = Tallystick.builder()
                .dataSource(postgres.dataSource())
                .codec(new PoisonedCodec())
                .build();
        tally.register("greet", String.class, String.class, (ctx, name) -> "hello " + name);
        tally.start();

        List<Submitted<String>> submitted = tally.submitAll(
                "greet",
                List.of(
                        Submit.key("error").with("poison"),
                        Submit.key("null").with("nothing"),
                        Submit.key("fine").with("Ada")));

        assertThat(submitted.get(0)).isInstanceOf(Submitted.Refused.class);
        assertThatThrownBy(() -> submitted.get(0).job()).hasRootCauseInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> submitted.get(1).job()).hasMessageContaining("PoisonedCodec returned null");
        assertThat(submitted.get(2).job().result(PATIENCE)).isEqualTo("hello Ada");
    }

    @Test
    void what_definitely_did_not_happen_is_said_as_it_is() {
        JobHandle<String> job = tally.submit("greet", "Ada", Submit.key("k"));
        tally.close();

        assertThatThrownBy(() -> tally.submit("greet", "Ada", Submit.key("k")))
                .isInstanceOf(DefiniteFailureException.class);
        assertThatThrownBy(() -> job.signal("go", "k", "")).isInstanceOf(DefiniteFailureException.class);
    }

    @Test
    void an_input_that_is_too_large_is_refused_alone() throws Exception {
        List<Submitted<String>> submitted = tally.submitAll(
                "greet",
                List.of(
                        Submit.key("large").with("x".repeat(1 << 20)),
                        Submit.key("small").with("Ada")));

        assertThatThrownBy(() -> submitted.get(0).job()).isInstanceOf(PayloadTooLargeException.class);
        assertThat(submitted.get(1).job().result(PATIENCE)).isEqualTo("hello Ada");
        assertThat(tally.<String>submit("greet", "Grace", Submit.key("large")).isDuplicate())
                .isFalse();
    }

    @Test
    void a_workflow_that_nobody_knows_is_refused_for_each() {
        List<Submitted<String>> submitted =
                tally.submitAll("unheard-of", List.of(Submit.key("k").with("Ada")));

        assertThatThrownBy(() -> submitted.getFirst().job()).isInstanceOf(UnknownWorkflowException.class);
    }

    /** Fails at one text, and has no bytes for another. */
    private static final class PoisonedCodec implements Codec {

        private final Codec json = new JsonCodec();

        @Override
        @SuppressWarnings("NullAway") // what a codec must not do
        public byte[] encode(@Nullable Object value) {
            if ("poison".equals(value)) {
                throw new AssertionError("poison");
            }
            return "nothing".equals(value) ? null : json.encode(value);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals")
        public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
            return json.decode(bytes, type);
        }
    }
}
