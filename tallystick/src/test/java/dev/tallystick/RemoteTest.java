package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.StepFailedException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs of one installation ask another, over the Postgres transport. */
class RemoteTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String PURCHASE = """
            workflow: purchase
            nodes:
              begin:
                kind: trigger
                next: order
              order:
                kind: worker
                participant: globex
                input: "input"
            output: order
            """;

    @RegisterExtension
    static final TestPostgres acmes = TestPostgres.perTest().prepared("parties", ExchangeParties::prepare);

    @RegisterExtension
    static final TestPostgres globexs = TestPostgres.perTest().prepared("parties", ExchangeParties::prepare);

    private Transport transport;
    private Tallystick acme;
    private Tallystick globex;

    @BeforeEach
    void open() {
        transport = new PostgresTransport(Database.on(acmes.dataSource()), "test");
        acme = Tallystick.builder()
                .dataSource(acmes.dataSource())
                .exchange(ExchangeParties.acme("1"), transport, ExchangeParties.FAST)
                .build();
        globex = Tallystick.builder()
                .dataSource(globexs.dataSource())
                .exchange(ExchangeParties.globex("1"), transport, ExchangeParties.FAST)
                .build();
    }

    @AfterEach
    void close() {
        acme.close();
        globex.close();
        transport.close();
    }

    record Order(String what) {}

    record Ordered(Order ordered) {}

    @Test
    void a_workflow_asks_a_partner_and_gets_its_result() throws Exception {
        acme.register(
                "purchase", Order.class, Ordered.class, (ctx, order) -> ctx.remote("globex", order, Ordered.class));
        acme.start();
        globex.exchange().handle(ExchangeParties::handle);

        JobHandle<Ordered> job = acme.submit("purchase", new Order("tea"), Submit.key("k"));

        assertThat(job.result(PATIENCE)).isEqualTo(new Ordered(new Order("tea")));
        String posting = ExchangeParties.effects(globexs.dataSource()).getFirst();
        assertThat(guidsOf(job)).contains(posting);
        View view = acme.exchange().records().show(new MessageId(posting)).getFirst();
        assertThat(view.consumer()).isEqualTo("globex");
    }

    @Test
    void a_rejected_request_fails_with_the_partners_reason_which_the_workflow_may_catch() throws Exception {
        acme.register(
                "purchase", Order.class, Ordered.class, (ctx, order) -> ctx.remote("globex", order, Ordered.class));
        acme.register("careful", Order.class, String.class, (ctx, order) -> {
            try {
                return ctx.remote("globex", order, Ordered.class).toString();
            } catch (StepFailedException e) {
                return String.valueOf(e.getMessage());
            }
        });
        acme.start();
        globex.exchange().handle(ExchangeParties::handle);

        JobHandle<Ordered> refused = acme.submit("purchase", new Order("nothing"), Submit.key("k"));
        assertThatThrownBy(() -> refused.result(PATIENCE)).hasMessageContaining("we do not sell nothing");
        JobHandle<String> caught = acme.submit("careful", new Order("nothing"), Submit.key("k2"));
        assertThat(caught.result(PATIENCE)).contains("we do not sell nothing");
    }

    @Test
    void a_workflow_may_stop_waiting_and_the_books_still_agree() throws Exception {
        Signal may = new Signal("the partner may answer");
        acme.register(
                "impatient",
                String.class,
                String.class,
                (ctx, order) -> ctx.any(
                        String.class,
                        List.<Context.Branch<String>>of(
                                branch -> branch.remote("globex", order, String.class), branch -> {
                                    branch.sleep(Duration.ofMillis(100));
                                    return "too late";
                                })));
        acme.start();
        globex.exchange().handle((request, tx) -> {
            may.await();
            return Outcome.ok("\"done\"");
        });

        JobHandle<String> job = acme.submit("impatient", "tea", Submit.key("k"));
        assertThat(job.result(PATIENCE)).isEqualTo("too late");
        may.fire();

        MessageId posting = new MessageId(
                acme.exchange().records().list(true, 10).getFirst().id());
        assertThat(acme.exchange().producer().result(posting).join()).isNotNull();
    }

    @Test
    void a_node_that_names_a_participant_is_a_posting() throws Exception {
        acme.registerYaml(PURCHASE);
        acme.start();
        globex.exchange().handle(ExchangeParties::handle);

        JobHandle<Ordered> job =
                acme.submit("purchase", new Order("tea"), Submit.key("k")).as(Ordered.class);
        assertThat(job.result(PATIENCE)).isEqualTo(new Ordered(new Order("tea")));
        assertThat(guidsOf(job))
                .contains(ExchangeParties.effects(globexs.dataSource()).getFirst());

        JobHandle<Object> refused = acme.submit("purchase", new Order("nothing"), Submit.key("k2"));
        assertThatThrownBy(() -> refused.result(PATIENCE)).hasMessageContaining("we do not sell nothing");
    }

    @Test
    void a_participant_without_a_key_is_refused_at_once() {
        acme.register("stray", String.class, String.class, (ctx, order) -> ctx.remote("initech", order, String.class));
        acme.registerYaml(PURCHASE.replace("globex", "initech"));
        acme.start();

        assertThatThrownBy(() -> acme.submit("stray", "tea", Submit.key("k")).result(PATIENCE))
                .hasMessageContaining("'initech' has no key here");
        assertThatThrownBy(() -> acme.submit("purchase", new Order("tea"), Submit.key("k2"))
                        .result(PATIENCE))
                .hasMessageContaining("'initech' has no key here");
        assertThat(acme.exchange().records().list(true, 10)).isEmpty();
    }

    @Test
    void a_fork_asks_under_the_same_id_and_gets_the_same_result() throws Exception {
        acme.register("purchase", String.class, String.class, (ctx, order) -> {
            String step = ctx.step("before", String.class, () -> order);
            return ctx.remote("globex", step, String.class);
        });
        acme.start();
        globex.exchange().handle((request, tx) -> {
            ExchangeParties.handle(request, tx);
            return Outcome.ok("\"done\"");
        });
        JobHandle<String> job = acme.submit("purchase", "tea", Submit.key("k"));
        assertThat(job.result(PATIENCE)).isEqualTo("done");

        assertThat(acme.fork(job, "before").result(PATIENCE)).isEqualTo("done");
        assertThat(ExchangeParties.effects(globexs.dataSource())).hasSize(1);
    }

    @Test
    void what_a_job_waits_for_names_the_posting() throws Exception {
        acme.register(
                "purchase", String.class, String.class, (ctx, order) -> ctx.remote("globex", order, String.class));
        acme.start();
        JobHandle<String> job = acme.submit("purchase", "tea", Submit.key("k"));
        Eventually.holds("the wait", () -> job.why().text().contains("the result of posting "));
        assertThat(acme.exchange().records().list(true, 10)).hasSize(1);
    }

    private static List<String> guidsOf(JobHandle<?> job) {
        return Database.on(acmes.dataSource())
                .transact(
                        "read guids",
                        tx -> tx.query(
                                "select guid::text from tally.guid where job_id = ?",
                                row -> row.getString("guid"),
                                job.id().value()));
    }
}
