package dev.tallystick.example.partner;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.consumer.Request;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Tx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;

/** Ships what a customer orders. An order is shipped once, whatever crashes, and both sides can prove what was agreed. */
public final class Supplier implements AutoCloseable {

    private final ShipmentStore shipments = new ShipmentStore();
    private final Participant self;
    private final Database database;
    private final Partners partners;
    private final GroupCommitter committer;
    private final Consumer consumer;

    public Supplier(
            Database database,
            Transport transport,
            String name,
            SigningKey key,
            Participant customer,
            PublicKey customersKey) {
        this.self = new Participant(name);
        this.database = database;
        ExchangeSchema.migrations().migrate(database);
        database.transact("create the supplier's table", tx -> {
            shipments.create(tx);
            return true;
        });
        partners = new Partners(database);
        partners.trust(self, key.publicKey());
        partners.trust(customer, customersKey);
        committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        consumer = new Consumer(
                database,
                committer,
                new Identity(self, "supplier-1", key),
                partners,
                transport,
                this::ship,
                ExchangeSettings.DEFAULT);
    }

    public void start() {
        consumer.start();
    }

    /** The shipment, the outcome and the signed result commit together. */
    private Outcome ship(Request request, Tx tx) throws SQLException {
        String item = request.payload().text();
        if (item.isBlank()) {
            return Outcome.rejected("an order names an item");
        }
        shipments.add(tx, request.id().value(), item);
        return Outcome.ok("\"shipped\"");
    }

    /** What this side has recorded, and the evidence for it. */
    public Records records() {
        return new Records(database, self);
    }

    public Partners partners() {
        return partners;
    }

    @Override
    public void close() {
        consumer.close();
        committer.close();
    }

    /** Runs until the process is killed. A kill loses nothing. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> environment = System.getenv();
        Database database = Database.on(pool(environment.get("SUPPLIER_DATABASE")));
        // Both sides can reach this database; it may be the supplier's own.
        Database meeting = Database.on(pool(environment.get("MEETING_DATABASE")));
        ExchangeSchema.migrations().migrate(meeting);
        try (Transport transport = new PostgresTransport(meeting, "supplier-1");
                Supplier supplier = new Supplier(
                        database,
                        transport,
                        environment.get("SUPPLIER_NAME"),
                        SigningKey.parse(Files.readString(Path.of(environment.get("SUPPLIER_KEY_FILE")))),
                        new Participant(environment.get("CUSTOMER_NAME")),
                        PublicKey.parse(Files.readString(Path.of(environment.get("CUSTOMER_KEY_FILE")))))) {
            supplier.start();
            Thread.currentThread().join();
        }
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        return new HikariDataSource(config);
    }
}
