package dev.tallystick.server;

import dev.tallystick.Exchange;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.engine.Engine;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.transport.HttpTransport;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.server.http.Meters;
import dev.tallystick.server.routes.ExchangeDesk;
import dev.tallystick.sql.Database;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Locale;

/**
 * The part of a server in the exchange: takes what partners deliver, posts what its jobs ask, and sends both. Handlers of
 * postings run in the process that has the server inside, or in processes with the library on the same database.
 */
final class ExchangePart implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final HttpTransport transport;
    private final Exchange exchange;
    private final ExchangeDesk desk;

    ExchangePart(Database database, Engine engine, ExchangeConfig config, Ids ids, CrashPoints crashPoints) {
        String instance = "server-" + ids.next();
        PostgresTransport local = new PostgresTransport(database, instance);
        HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();
        transport = new HttpTransport(client, config.partners(), local);
        exchange = new Exchange(
                database,
                engine,
                new Identity(config.participant(), instance, config.key()),
                transport,
                config.settings(),
                crashPoints);
        desk = new ExchangeDesk(database, config.participant(), exchange, local, client, config.partners());
    }

    Exchange exchange() {
        return exchange;
    }

    ExchangeDesk desk() {
        return desk;
    }

    void start() {
        exchange.start();
    }

    void bind(Meters meters) {
        for (IssueKind kind : IssueKind.values()) {
            meters.gauge(
                    "tally_exchange_issues_" + kind.name().toLowerCase(Locale.ROOT),
                    "Open consistency issues of this kind.",
                    desk,
                    source -> source.issueCounts().getOrDefault(kind, 0L));
        }
        meters.gauge(
                "tally_exchange_open_postings",
                "Postings and received postings that are not settled on both sides.",
                desk,
                source -> source.openCounts().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
        meters.counter(
                "tally_exchange_published_total",
                "Messages that partners took from this server.",
                exchange,
                source -> source.producer().published());
        meters.counter(
                "tally_exchange_unpublished_total",
                "Messages that partners did not take from this server; they are sent again.",
                exchange,
                source -> source.producer().unpublished());
    }

    @Override
    public void close() {
        exchange.close();
        transport.close();
    }
}
