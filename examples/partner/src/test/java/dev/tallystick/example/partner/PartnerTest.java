package dev.tallystick.example.partner;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.JobHandle;
import dev.tallystick.Submit;
import dev.tallystick.Tallystick;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.postgres.EmbeddedPostgres;
import dev.tallystick.sql.Database;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A customer with the whole library, and the supplier with the exchange alone. */
class PartnerTest {

    private static final Participant CUSTOMER = new Participant("acme");

    @Test
    void a_partner_handles_an_order_once_and_both_sides_can_prove_it() throws Exception {
        SigningKey customersKey = SigningKey.generate();
        SigningKey suppliersKey = SigningKey.generate();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary().start();
                HikariDataSource customers = database(postgres, "customer");
                HikariDataSource suppliers = database(postgres, "supplier");
                Transport customersWay = new PostgresTransport(migrated(suppliers), "customer");
                Transport suppliersWay = new PostgresTransport(migrated(suppliers), "supplier");
                Supplier supplier = new Supplier(
                        Database.on(suppliers),
                        suppliersWay,
                        "globex",
                        suppliersKey,
                        CUSTOMER,
                        customersKey.publicKey());
                Tallystick customer = Tallystick.builder()
                        .dataSource(customers)
                        .exchange(new Identity(CUSTOMER, "shop-1", customersKey), customersWay)
                        .build()) {
            supplier.start();
            customer.exchange().partners().trust(new Participant("globex"), suppliersKey.publicKey());
            customer.register(
                    "purchase", String.class, String.class, (ctx, item) -> ctx.remote("globex", item, String.class));
            customer.start();

            JobHandle<String> job = customer.submit("purchase", "apples", Submit.key("order-1"));

            assertThat(job.result(Duration.ofSeconds(30))).isEqualTo("shipped");
            View posting = customer.exchange().records().list(true, 1).getFirst();
            MessageId id = new MessageId(posting.id());
            assertThat(shipments(suppliers, posting.id())).isEqualTo(1);
            Bundle ours = customer.exchange()
                    .records()
                    .posted(id, customer.exchange().partners())
                    .orElseThrow();
            Bundle theirs = supplier.records()
                    .received(CUSTOMER, id, supplier.partners())
                    .orElseThrow();
            assertThat(ours.verify(customersKey.publicKey(), suppliersKey.publicKey())
                            .isSound())
                    .isTrue();
            assertThat(theirs.verify(customersKey.publicKey(), suppliersKey.publicKey())
                            .isSound())
                    .isTrue();
        }
    }

    private static Database migrated(HikariDataSource source) {
        Database database = Database.on(source);
        ExchangeSchema.migrations().migrate(database);
        return database;
    }

    private static long shipments(HikariDataSource suppliers, String id) {
        return Database.on(suppliers)
                .transact(
                        "count",
                        tx -> tx.first("select count(*) from shipment where order_id = ?", row -> row.getLong(1), id)
                                .orElse(0L));
    }

    private static HikariDataSource database(EmbeddedPostgres postgres, String name) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl());
        config.setUsername(postgres.user());
        config.setPassword(postgres.password());
        try (HikariDataSource server = new HikariDataSource(config);
                Connection connection = server.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        }
        config.setJdbcUrl(postgres.jdbcUrl(name));
        return new HikariDataSource(config);
    }
}
