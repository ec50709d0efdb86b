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

    // Written rows since the server started, as the sessions have reported them by now.
    private static final String WRITES = """
            select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname <> 'exchange_packet'), 0),
                coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del) filter (where relname = 'exchange_packet'), 0)
            from pg_stat_user_tables
            where relname like 'exchange%'
            """;

    private final Databases databases;
    private final Participant partner;
    private final AtomicLong ids;
    private final Writes before;
    private final ExchangeLink link;

    /** @param ids how many postings there were in earlier rounds */
    RoundTrips(Databases databases, Supplier<ExchangeLink> linking, Participant partner, AtomicLong ids)
            throws SQLException {
        this.databases = databases;
        this.partner = partner;
        this.ids = ids;
        this.before = writes();
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
        Writes after = writes();
        Map<String, Double> extras = new LinkedHashMap<>();
        extras.put("row_writes", (after.rows() - before.rows()) / (double) items);
        extras.put("packet_writes", (after.packets() - before.packets()) / (double) items);
        return extras;
    }

    private record Writes(long rows, long packets) {}

    private Writes writes() throws SQLException {
        long rows = 0;
        long packets = 0;
        for (DataSource database : List.of(databases.acmes(), databases.globexs())) {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(WRITES)) {
                row.next();
                rows += row.getLong(1);
                packets += row.getLong(2);
            }
        }
        return new Writes(rows, packets);
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
