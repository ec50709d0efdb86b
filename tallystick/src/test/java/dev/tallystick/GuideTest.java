package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Context;
import dev.tallystick.engine.Retry;
import dev.tallystick.engine.Workflow;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

    private static final Warehouse warehouse = new Warehouse();
    private static final Charges ledger = new Charges();
    private static final Mail mail = new Mail();

    private static final class Warehouse {
        String reserve(Order order, String key) {
            return order.amount() > 0 && !key.isEmpty() ? "shelf 1" : "nothing";
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

    private static final class Mail {
        String confirm(Order order, String reserved) {
            return "confirmed " + order.item() + " under " + reserved;
        }
    }
}
