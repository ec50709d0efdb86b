package dev.tallystick;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.consumer.Request;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** Two installations that trust each other: acme's jobs ask, globex answers. */
final class ExchangeParties {

    static final Participant ACME = new Participant("acme");
    static final Participant GLOBEX = new Participant("globex");
    private static final SigningKey ACME_KEY = SigningKey.generate();
    private static final SigningKey GLOBEX_KEY = SigningKey.generate();

    static final ExchangeSettings FAST = ExchangeSettings.DEFAULT.withIntervals(
            Duration.ofMillis(300), Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofMillis(50));

    /** For a database with the tables of both the library and the handler. */
    static void prepare(DataSource source) {
        Tallystick.migrate(source);
        Database database = Database.on(source);
        database.transact(
                "prepare", tx -> tx.update("create table effect (id text not null, at bigserial primary key)"));
        Partners partners = new Partners(database);
        partners.trust(ACME, ACME_KEY.publicKey());
        partners.trust(GLOBEX, GLOBEX_KEY.publicKey());
    }

    static Identity acme(String instance) {
        return new Identity(ACME, instance, ACME_KEY);
    }

    static Identity globex(String instance) {
        return new Identity(GLOBEX, instance, GLOBEX_KEY);
    }

    /** Writes an effect, unless the order is for nothing. */
    static Outcome handle(Request request, Tx tx) throws SQLException {
        if (request.payload().text().contains("nothing")) {
            return Outcome.rejected("we do not sell nothing");
        }
        tx.update("insert into effect (id) values (?)", request.id().value());
        return Outcome.ok("{\"ordered\":" + request.payload().text() + "}");
    }

    static List<String> effects(DataSource source) {
        return Database.on(source)
                .transact("read effects", tx -> tx.query("select id from effect", row -> row.getString("id")));
    }

    private ExchangeParties() {}
}
