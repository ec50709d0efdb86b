package dev.tallystick.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.bench.Contender.Round;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Round trips between two participants with two databases: the posting is recorded, handled in a transaction with a row of the
 * handler's, and its result is recorded. Every round checks that each posting was settled and had its effect once.
 */
final class ExchangeSuite implements Suite {

    private static final int CALLERS = 32;
    private static final int HANDLERS = 32;
    private static final Participant ACME = new Participant("acme");
    private static final Participant GLOBEX = new Participant("globex");

    // Written rows since the server started, as the sessions have reported them by now.
    private static final String WRITES = """
            select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname not in ('exchange_packet', 'effect')), 0),
                coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname = 'exchange_packet'), 0)
            from pg_stat_user_tables
            """;

    private final SigningKey acmesKey = SigningKey.generate();
    private final SigningKey globexsKey = SigningKey.generate();
    private final AtomicLong ids = new AtomicLong();

    @Override
    public List<Contender> contenders(DataSource server) throws SQLException {
        Setup.run(server, List.of("create database exchange_n", "create database exchange_p"));
        DataSource acmes = in(server, "exchange_n");
        DataSource globexs = in(server, "exchange_p");
        for (DataSource each : List.of(acmes, globexs)) {
            Database database = Database.on(each);
            ExchangeSchema.migrations().migrate(database);
            Partners partners = new Partners(database);
            partners.trust(ACME, acmesKey.publicKey());
            partners.trust(GLOBEX, globexsKey.publicKey());
        }
        Setup.run(globexs, List.of("create table effect (id text primary key)"));
        Contender postgres =
                new Contender("exchange.postgres.c" + CALLERS, CALLERS, callers -> new Postings(acmes, globexs));
        return List.of(postgres.against("floor.c1", "floor.c8", "floor.c32"));
    }

    private static DataSource in(DataSource server, String database) throws SQLException {
        PGSimpleDataSource given = server.unwrap(PGSimpleDataSource.class);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(given.getUrl());
        source.setUser(given.getUser());
        source.setPassword(given.getPassword());
        source.setDatabaseName(database);
        return source;
    }

    private final class Postings implements Round {

        private final DataSource acmes;
        private final DataSource globexs;
        private final HikariDataSource acmesPool;
        private final HikariDataSource globexsPool;
        private final HikariDataSource transportPool;
        private final GroupCommitter acmesCommits;
        private final GroupCommitter globexsCommits;
        private final PostgresTransport transport;
        private final Producer producer;
        private final Consumer consumer;
        private final long[] before;

        Postings(DataSource acmes, DataSource globexs) throws SQLException {
            this.acmes = acmes;
            this.globexs = globexs;
            before = writes();
            acmesPool = pool(acmes);
            globexsPool = pool(globexs);
            transportPool = pool(globexs);
            Database acme = Database.on(acmesPool);
            Database globex = Database.on(globexsPool);
            acmesCommits = new GroupCommitter(acme, GroupCommitter.Limits.DEFAULT);
            globexsCommits = new GroupCommitter(globex, GroupCommitter.Limits.DEFAULT);
            transport = new PostgresTransport(Database.on(transportPool), "bench");
            ExchangeSettings settings = ExchangeSettings.DEFAULT.withParallelism(CALLERS, HANDLERS);
            producer = new Producer(
                    acme, acmesCommits, new Identity(ACME, "1", acmesKey), new Partners(acme), transport, settings);
            consumer = new Consumer(
                    globex,
                    globexsCommits,
                    new Identity(GLOBEX, "1", globexsKey),
                    new Partners(globex),
                    transport,
                    (request, tx) -> {
                        tx.update(
                                "insert into effect (id) values (?)",
                                request.id().value());
                        return Outcome.ok("done");
                    },
                    settings);
            consumer.start();
            producer.start();
        }

        @Override
        public int call(int caller) throws Exception {
            Draft draft =
                    new Draft(GLOBEX, new MessageId("order-" + ids.incrementAndGet()), Payload.of("{\"pay\":\"42\"}"));
            Settled settled = producer.request(draft).get(60, TimeUnit.SECONDS);
            if (!(settled instanceof Settled.Ok)) {
                throw new IllegalStateException("settled as " + settled);
            }
            return 1;
        }

        @Override
        public void close() throws SQLException {
            producer.close();
            consumer.close();
            transport.close();
            acmesCommits.close();
            globexsCommits.close();
            acmesPool.close();
            globexsPool.close();
            transportPool.close();
            long settled = number(acmes, "select count(*) from tally.exchange_posting where processing = 'OK'");
            long effects = number(globexs, "select count(*) from effect");
            if (settled != ids.get() || effects != ids.get()) {
                throw new IllegalStateException(
                        ids.get() + " postings, " + settled + " settled, " + effects + " effects");
            }
        }

        @Override
        public Map<String, Double> extras(long items) throws SQLException {
            long[] after = writes();
            Map<String, Double> extras = new LinkedHashMap<>();
            extras.put("row_writes", (after[0] - before[0]) / (double) items);
            extras.put("packet_writes", (after[1] - before[1]) / (double) items);
            return extras;
        }

        private long[] writes() throws SQLException {
            long[] sum = new long[2];
            for (DataSource database : List.of(acmes, globexs)) {
                try (Connection connection = database.getConnection();
                        Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery(WRITES)) {
                    row.next();
                    sum[0] += row.getLong(1);
                    sum[1] += row.getLong(2);
                }
            }
            return sum;
        }
    }

    private static HikariDataSource pool(DataSource source) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(HANDLERS + 8);
        return new HikariDataSource(config);
    }

    private static long number(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
