package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Round;
import dev.tallystick.bench.ExchangeSuite.Databases;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Settled;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A posting is recorded, handled in a transaction with a row of the handler's, and its result is recorded. Every round checks
 * that each posting so far was settled and had its effect once.
 */
final class RoundTrips implements Round {

    // Since the server started, as the sessions have reported it by now.
    private static final String WORK = """
            select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname <> 'exchange_packet'), 0),
                coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname = 'exchange_packet'), 0),
                (select xact_commit from pg_stat_database where datname = current_database())
            from pg_stat_user_tables
            where relname like 'exchange%'
            """;

    private final Databases databases;
    private final Participant partner;
    private final AtomicLong ids;
    private final Work before;
    private final ExchangeLink link;

    /** @param ids how many postings there were in earlier rounds */
    RoundTrips(Databases databases, Supplier<ExchangeLink> linking, Participant partner, AtomicLong ids)
            throws SQLException {
        this.databases = databases;
        this.partner = partner;
        this.ids = ids;
        this.before = work();
        this.link = linking.get();
    }

    @Override
    public int call(int caller) throws Exception {
        Draft draft =
                new Draft(partner, new MessageId("order-" + ids.incrementAndGet()), Payload.of("{\"pay\":\"42\"}"));
        Settled settled = link.producer().request(draft).get(60, TimeUnit.SECONDS);
        if (!(settled instanceof Settled.Ok)) {
            throw new IllegalStateException("settled as " + settled);
        }
        return 1;
    }

    @Override
    public void close() throws SQLException {
        link.close();
        long settled = number(databases.acmes(), "select count(*) from tally.exchange_posting where processing = 'OK'");
        long effects = number(databases.globexs(), "select count(*) from effect");
        if (settled != ids.get() || effects != ids.get()) {
            throw new IllegalStateException(ids.get() + " postings, " + settled + " settled, " + effects + " effects");
        }
    }

    @Override
    public Map<String, Double> extras(long items) throws SQLException {
        Work after = work();
        Map<String, Double> extras = new LinkedHashMap<>();
        extras.put("row_writes", (after.rows() - before.rows()) / (double) items);
        extras.put("packet_writes", (after.packets() - before.packets()) / (double) items);
        extras.put("commits", (after.commits() - before.commits()) / (double) items);
        extras.put("wal_syncs", (after.syncs() - before.syncs()) / (double) items);
        return extras;
    }

    /** What both databases have done. */
    private record Work(long rows, long packets, long commits, long syncs) {}

    private Work work() throws SQLException {
        long rows = 0;
        long packets = 0;
        long commits = 0;
        for (DataSource database : List.of(databases.acmes(), databases.globexs())) {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(WORK)) {
                row.next();
                rows += row.getLong(1);
                packets += row.getLong(2);
                commits += row.getLong(3);
            }
        }
        return new Work(rows, packets, commits, WalSyncs.count(databases.acmes()));
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
