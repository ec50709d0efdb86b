package dev.tallystick.bench;

import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.exchange.transport.kafka.KafkaTransport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Round trips between two participants with two databases, over each transport, compared with the floor; and the comparison of
 * large books. All have the default settings, in which every handler has a transaction of its own; in the row
 * {@code exchange.shared.c32}, which also uses Postgres, up to 16 share one.
 */
final class ExchangeSuite implements Suite {

    private static final int CALLERS = 32;

    private static final Handler HANDLER = (request, tx) -> {
        tx.update("insert into effect (id) values (?)", request.id().value());
        return Outcome.ok("done");
    };

    private final Identity acme = new Identity(new Participant("acme"), "1", SigningKey.generate());
    private final Identity globex = new Identity(new Participant("globex"), "1", SigningKey.generate());
    private final ExchangeSettings settings = ExchangeSettings.DEFAULT;
    private final ExchangeSettings sharing = settings.withHandlersPerTransaction(16);

    private @Nullable KafkaBroker broker;
    private @Nullable ExchangeServers servers;

    @Override
    public List<Contender> contenders(DataSource server) throws SQLException {
        Databases books = prepared(server, "books");
        AtomicBoolean areFilled = new AtomicBoolean();
        return List.of(
                roundTrips(server, "postgres", databases -> library(databases, ExchangeSuite::postgres, settings)),
                roundTrips(server, "shared", databases -> library(databases, ExchangeSuite::postgres, sharing)),
                roundTrips(server, "kafka", databases -> library(databases, pool -> kafka(), settings)),
                roundTrips(server, "http", this::http),
                new Contender(
                        "exchange.reconcile.1m",
                        1,
                        callers -> ReconcileRound.open(books, 1_000_000, !areFilled.getAndSet(true))));
    }

    /** The databases of the two sides. */
    record Databases(PGSimpleDataSource acmes, PGSimpleDataSource globexs) {}

    private Contender roundTrips(DataSource server, String name, Function<Databases, ExchangeLink> linking)
            throws SQLException {
        Databases databases = prepared(server, name);
        Setup.run(databases.globexs(), List.of("create table effect (id text primary key)"));
        AtomicLong ids = new AtomicLong();
        return new Contender(
                        "exchange." + name + ".c" + CALLERS,
                        CALLERS,
                        callers -> new RoundTrips(databases, () -> linking.apply(databases), globex.participant(), ids))
                .against("floor.c1", "floor.c8", "floor.c32");
    }

    private ExchangeLink library(
            Databases databases, Function<DataSource, Transport> transports, ExchangeSettings chosen) {
        return ExchangeLink.between(databases.acmes(), acme, databases.globexs(), globex, transports, HANDLER, chosen);
    }

    private static Transport postgres(DataSource pool) {
        return new PostgresTransport(Database.on(pool), "bench");
    }

    private Transport kafka() {
        try {
            if (broker == null) {
                broker = KafkaBroker.start();
            }
            return new KafkaTransport(Map.of("bootstrap.servers", broker.address()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ExchangeLink http(Databases databases) {
        try {
            if (servers == null) {
                servers = new ExchangeServers(
                        acme, FrontDoorSuite.url(databases.acmes()), globex, FrontDoorSuite.url(databases.globexs()));
            }
            return servers.open(HANDLER, settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (broker != null) {
            broker.close();
        }
    }

    private Databases prepared(DataSource server, String name) throws SQLException {
        Setup.run(server, List.of("create database " + name + "_n", "create database " + name + "_p"));
        Databases databases = new Databases(Setup.in(server, name + "_n"), Setup.in(server, name + "_p"));
        for (DataSource each : List.of(databases.acmes(), databases.globexs())) {
            Database database = Database.on(each);
            ExchangeSchema.migrations().migrate(database);
            Partners partners = new Partners(database);
            partners.trust(acme.participant(), acme.key().publicKey());
            partners.trust(globex.participant(), globex.key().publicKey());
        }
        return databases;
    }
}
