package dev.tallystick.exchange;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.HaltAt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** An instance of one side in a JVM of its own, to be killed. The producer posts all orders, whatever an earlier one did. */
final class ExchangeChild {

    private static final ExchangeSettings SETTINGS = Party.FAST.withIntervals(
            Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofMillis(100));

    /** Arguments: side, JDBC URL of its database, JDBC URL of the transport, its key, its instance, number of postings. */
    public static void main(String[] arguments) throws InterruptedException {
        DataSource own = pool(arguments[1]);
        CrashPoints crashPoints = HaltAt.configured();
        Database database = Database.on(own, RandomGenerator.getDefault(), crashPoints);
        GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        Transport transport = new PostgresTransport(Database.on(pool(arguments[2])), arguments[0] + arguments[4]);
        boolean producing = arguments[0].equals("producer");
        Participant participant = producing ? Party.ACME : Party.GLOBEX;
        Identity identity = new Identity(participant, arguments[4], SigningKey.parse(arguments[3]));
        Partners partners = new Partners(database);
        if (producing) {
            Producer producer = new Producer(database, committer, identity, partners, transport, SETTINGS, crashPoints);
            producer.start();
            post(producer, Integer.parseInt(arguments[5]));
        } else {
            Consumer consumer = new Consumer(
                    database, committer, identity, partners, transport, Party::handle, SETTINGS, crashPoints);
            consumer.start();
        }
        System.out.println("ready");
        // All other threads are daemons.
        Thread.currentThread().join();
    }

    private static void post(Producer producer, int number) {
        List<CompletableFuture<?>> posted = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            posted.add(producer.post(Party.order("order-" + i)));
            if (posted.size() == 50) {
                posted.forEach(CompletableFuture::join);
                posted.clear();
            }
        }
        posted.forEach(CompletableFuture::join);
    }

    private static DataSource pool(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(14);
        return new HikariDataSource(config);
    }

    private ExchangeChild() {}
}
