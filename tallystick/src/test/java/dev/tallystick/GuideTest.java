package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.model.DeadLetter;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code that the README and the guides show, so that it compiles and does what they say. */
class GuideTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Order(String item, int amount) {}

    static final class OrderWorkflow implements Workflow<Order, String> {
        @Override
        public String run(Context ctx, Order order) {
            String reserved = ctx.step("reserve", String.class, () -> warehouse.reserve(order, ctx.key()));
            ctx.transaction("charge", String.class, connection -> ledger.charge(connection, order));
            ctx.await("shipped", String.class);
            return ctx.step("confirm", String.class, () -> mail.confirm(order, reserved));
        }
    }

    @Test
    void the_order_of_the_readme_waits_for_its_signal_and_is_charged_once() throws Exception {
        DataSource dataSource = postgres.dataSource();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table charge (item text not null, amount int not null)");
        }
        Order order = new Order("apples", 3);

        try (Tallystick tally = Tallystick.builder().dataSource(dataSource).build()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            JobHandle<String> job = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"));
            job.signal("shipped", "parcel-7", "on its way");
            String confirmation = job.result(Duration.ofSeconds(30));
            assertThat(confirmation).isEqualTo("confirmed apples under shelf 1");
        }

        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                var charges = statement.executeQuery("select sum(amount), count(*) from charge")) {
            charges.next();
            assertThat(charges.getInt(1)).isEqualTo(3);
            assertThat(charges.getInt(2)).isEqualTo(1);
        }
    }

    @Test
    void a_list_of_orders_is_read_as_what_it_is() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("open", String.class, Integer.class, (ctx, customer) -> {
                List<Order> open =
                        ctx.step("open orders", new GenericType<List<Order>>() {}, () -> warehouse.open(customer));
                return open.stream().mapToInt(Order::amount).sum();
            });
            tally.start();

            JobHandle<Integer> job = tally.submit("open", "Ann", Submit.unkeyed());

            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo(8);
            assertThat(job.as(new GenericType<Optional<Integer>>() {}).result(Duration.ofSeconds(30)))
                    .contains(8);
        }
    }

    private static final Retry PATIENT = Retry.DEFAULT
            .attempts(20)
            .waiting(Duration.ofSeconds(1), Duration.ofMinutes(10))
            .never(IllegalArgumentException.class);

    static final class TravelWorkflow implements Workflow<String, String> {
        @Override
        public String run(Context ctx, String city) {
            List<String> booked = ctx.all(
                    String.class,
                    List.of(
                            flight -> flight.step("fly", String.class, PATIENT, () -> "flight to " + city),
                            hotel -> hotel.child("hotel", city, String.class)));
            Optional<String> guide = ctx.await("guide", String.class, Duration.ofMillis(100));
            ctx.sleep(Duration.ofMillis(50));
            return String.join(", ", booked)
                    + guide.map(name -> ", with " + name).orElse(", alone");
        }
    }

    @Test
    void branches_children_waits_and_sleeps_go_together() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("travel", TravelWorkflow.class);
            tally.register("hotel", String.class, String.class, (ctx, city) -> "hotel in " + city);
            tally.start();

            JobHandle<String> job = tally.submit("travel", "Rome", Submit.unkeyed());

            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo("flight to Rome, hotel in Rome, alone");
        }
    }

    static final class BookingWorkflow implements Workflow<String, String> {
        @Override
        public String run(Context ctx, String city) {
            ctx.undo("give up seat", () -> airline.giveUp(city));
            ctx.step("book seat", String.class, () -> airline.book(city));
            ctx.undo("give up room", () -> inn.giveUp(city));
            return ctx.step("book room", String.class, Retry.NONE, () -> inn.book(city));
        }
    }

    @Test
    void a_booking_that_fails_gives_up_what_it_has_and_can_be_redriven() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("booking", BookingWorkflow.class);
            tally.start();
            inn.rooms = 0;
            JobHandle<String> job = tally.submit("booking", "Rome", Submit.unkeyed());
            assertThatThrownBy(() -> job.result(Duration.ofSeconds(30))).hasMessageContaining("no room in Rome");
            assertThat(airline.booked).isEmpty();

            inn.rooms = 1;
            List<String> results = new ArrayList<>();
            for (DeadLetter letter : tally.deadLetters()) {
                JobHandle<String> again = tally.redrive(letter);
                results.add(again.result(Duration.ofSeconds(30)));
            }
            assertThat(results).containsExactly("room in Rome");
            assertThat(airline.booked).containsExactly("Rome");
            assertThat(tally.deadLetters()).isEmpty();
        }
    }

    static final class MeterWorkflow implements Workflow<Integer, Integer> {
        @Override
        public Integer run(Context ctx, Integer total) {
            int sum = total;
            for (int i = 0; i < 100; i++) {
                int reading = ctx.await("reading", Integer.class);
                if (reading == 0) {
                    return sum;
                }
                sum += reading;
            }
            return ctx.continueAsNew(sum);
        }
    }

    @Test
    void a_meter_is_read_for_ever_by_job_after_job() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("meter", MeterWorkflow.class);
            tally.start();
            JobHandle<Integer> job = tally.submit("meter", 0, Submit.key("meter-7"));
            for (int i = 1; i <= 130; i++) {
                job.signal("reading", "reading-" + i, 1);
            }
            job.signal("reading", "last", 0);

            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo(130);
            assertThat(job.why().text()).contains("closed, completed");
        }
    }

    @Test
    void versions_stand_side_by_side() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register(WorkflowType.of("greet", String.class, String.class, (ctx, name) -> "Hello " + name));
            tally.register(WorkflowType.of("greet", String.class, String.class, (ctx, name) -> "Good day, " + name)
                    .version(2));
            tally.start();

            JobHandle<String> old =
                    tally.submit("greet", "Ada", Submit.unkeyed().version(1).timeout(Duration.ofHours(2)));
            JobHandle<String> newest = tally.submit("greet", "Ada", Submit.unkeyed());

            assertThat(old.result(Duration.ofSeconds(30))).isEqualTo("Hello Ada");
            assertThat(newest.result(Duration.ofSeconds(30))).isEqualTo("Good day, Ada");
            assertThat(tally.unclaimed()).isEmpty();

            JobHandle<String> again = tally.rerun(old);
            assertThat(again.result(Duration.ofSeconds(30))).isEqualTo("Good day, Ada");
        }
    }

    static final class PatchedWorkflow implements Workflow<Order, String> {
        @Override
        public String run(Context ctx, Order order) {
            if (ctx.patched("check-address")) {
                ctx.step("check address", String.class, () -> mail.check(order));
            }
            return ctx.step("confirm", String.class, () -> mail.confirm(order, "nothing"));
        }
    }

    @Test
    void a_patch_is_taken_by_new_jobs_and_a_job_can_be_forked_behind_it() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("patched", PatchedWorkflow.class);
            tally.start();
            JobHandle<String> job = tally.submit("patched", new Order("pears", 1), Submit.unkeyed());
            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo("confirmed pears under nothing");

            JobHandle<String> fork = tally.fork(job, "confirm");

            assertThat(fork.result(Duration.ofSeconds(30))).isEqualTo("confirmed pears under nothing");
            assertThat(mail.checked).isEqualTo(1);
        }
    }

    private static final Airline airline = new Airline();
    private static final Inn inn = new Inn();
    private static final Warehouse warehouse = new Warehouse();
    private static final Charges ledger = new Charges();
    private static final Mail mail = new Mail();

    private static final class Warehouse {
        String reserve(Order order, String key) {
            return order.amount() > 0 && !key.isEmpty() ? "shelf 1" : "nothing";
        }

        List<Order> open(String customer) {
            return List.of(new Order("apples of " + customer, 3), new Order("pears of " + customer, 5));
        }
    }

    private static final class Charges {
        String charge(Connection connection, Order order) throws SQLException {
            try (PreparedStatement insert = connection.prepareStatement("insert into charge values (?, ?)")) {
                insert.setString(1, order.item());
                insert.setInt(2, order.amount());
                insert.executeUpdate();
                return "charged";
            }
        }
    }

    private static final class Airline {
        private final Set<String> booked = ConcurrentHashMap.newKeySet();

        String book(String city) {
            booked.add(city);
            return "seat to " + city;
        }

        void giveUp(String city) {
            booked.remove(city);
        }
    }

    private static final class Inn {
        private volatile int rooms;

        String book(String city) {
            if (rooms == 0) {
                throw new IllegalStateException("no room in " + city);
            }
            return "room in " + city;
        }

        void giveUp(String city) {
            assertThat(city).isEqualTo("Rome");
        }
    }

    private static final class Mail {
        private volatile int checked;

        String check(Order order) {
            checked = order.amount();
            return "fine";
        }

        String confirm(Order order, String reserved) {
            return "confirmed " + order.item() + " under " + reserved;
        }
    }
}
