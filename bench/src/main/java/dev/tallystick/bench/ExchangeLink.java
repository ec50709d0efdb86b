package dev.tallystick.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;

/** Acme's producer and globex's consumer at work, for the length of a round. */
final class ExchangeLink implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Producer producer;

    private ExchangeLink(Producer producer, List<AutoCloseable> last) {
        this.producer = producer;
        last.forEach(opened::push);
    }

    /** Closes these with it, the last one first. */
    static ExchangeLink of(Producer producer, AutoCloseable... last) {
        return new ExchangeLink(producer, List.of(last));
    }

    /**
     * With the library on both sides.
     *
     * @param transports makes a transport, with a pool of connections to globex's database
     */
    static ExchangeLink between(
            DataSource acmes,
            Identity acme,
            DataSource globexs,
            Identity globex,
            Function<DataSource, Transport> transports,
            Handler handler,
            ExchangeSettings settings) {
        HikariDataSource acmesPool = pool(acmes, settings);
        HikariDataSource globexsPool = pool(globexs, settings);
        HikariDataSource transportsPool = pool(globexs, settings);
        Database acmesDatabase = Database.on(acmesPool);
        Database globexsDatabase = Database.on(globexsPool);
        GroupCommitter acmesCommits = new GroupCommitter(acmesDatabase, GroupCommitter.Limits.DEFAULT);
        GroupCommitter globexsCommits = new GroupCommitter(globexsDatabase, GroupCommitter.Limits.DEFAULT);
        Transport transport = transports.apply(transportsPool);
        Consumer consumer = new Consumer(
                globexsDatabase, globexsCommits, globex, new Partners(globexsDatabase), transport, handler, settings);
        Producer producer =
                new Producer(acmesDatabase, acmesCommits, acme, new Partners(acmesDatabase), transport, settings);
        consumer.start();
        producer.start();
        return of(
                producer,
                transportsPool,
                globexsPool,
                acmesPool,
                globexsCommits,
                acmesCommits,
                transport,
                consumer,
                producer);
    }

    private static HikariDataSource pool(DataSource source, ExchangeSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(settings.handlers() + 8);
        return new HikariDataSource(config);
    }

    Producer producer() {
        return producer;
    }

    @Override
    public void close() {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("cannot close " + each, e);
            }
        }
    }
}
