package dev.tallystick.server;

import dev.tallystick.client.Postings;
import dev.tallystick.client.TallyClient;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.consumer.Request;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Two companies that trust each other, each with its own server on its own database: acme's jobs ask and are sealed, and globex
 * answers.
 */
public final class TwoCompanies implements AutoCloseable {

    public static final Participant ACME = new Participant("acme");
    public static final Participant GLOBEX = new Participant("globex");
    public static final SigningKey ACME_KEY = SigningKey.generate();
    public static final SigningKey GLOBEX_KEY = SigningKey.generate();

    static final ExchangeSettings FAST = ExchangeSettings.DEFAULT
            .withIntervals(
                    Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(2), Duration.ofMillis(100))
            .withParallelism(32, 2);

    /** One of them. */
    public static final class Company implements AutoCloseable {

        private final Participant name;
        private final SigningKey key;
        private final TestPostgres postgres;
        private final Path data;
        private final URI address;
        private final String tokenForThePartner;
        private @Nullable TallyServer server;

        /** The first start tells its address, and makes a token for the partner. */
        private Company(Participant name, SigningKey key, TestPostgres postgres, Path data, Participant partner)
                throws IOException {
            this.name = name;
            this.key = key;
            this.postgres = postgres;
            this.data = Files.createDirectories(data);
            Partners partners = new Partners(Database.on(postgres.dataSource()));
            partners.trust(ACME, ACME_KEY.publicKey());
            partners.trust(GLOBEX, GLOBEX_KEY.publicKey());
            try (TallyServer first = TallyServer.start(ServerUnderTest.settings(postgres.url(), data))) {
                address = first.address();
                tokenForThePartner = ServerUnderTest.memberOf(admin(), partner.name(), "partner")
                        .token();
            }
        }

        TallyServer start(Company partner) {
            TallyServer started = TallyServer.start(ServerUnderTest.settings(postgres.url(), data)
                    .at(ServerSettings.LOOPBACK, address.getPort())
                    .withSeal(name.equals(ACME))
                    .withExchange(new ExchangeConfig(name, key, Map.of(partner.name, partner.forPartner()), FAST)));
            server = started;
            return started;
        }

        /** How the partner reaches it. */
        Partner forPartner() {
            return new Partner(address, tokenForThePartner);
        }

        TallyServer server() {
            if (server == null) {
                throw new IllegalStateException(name + "'s server is down");
            }
            return server;
        }

        public URI address() {
            return address;
        }

        public Http admin() {
            return new Http(address, ServerUnderTest.adminToken(data));
        }

        Postings postings() {
            return new TallyClient(address, ServerUnderTest.adminToken(data)).postings();
        }

        Database database() {
            return Database.on(postgres.dataSource());
        }

        @Override
        public void close() {
            if (server != null) {
                server.close();
                server = null;
            }
        }
    }

    private final Company acme;
    private final Company globex;

    public TwoCompanies(TestPostgres acmes, TestPostgres globexs, Path directory) throws IOException {
        acme = new Company(ACME, ACME_KEY, acmes, directory.resolve("acme"), GLOBEX);
        globex = new Company(GLOBEX, GLOBEX_KEY, globexs, directory.resolve("globex"), ACME);
        acme.start(globex);
        globex.start(acme);
    }

    public Company acme() {
        return acme;
    }

    public Company globex() {
        return globex;
    }

    /** Globex's server answers. */
    public void answer() {
        globex.server().exchange().handle(TwoCompanies::handle);
    }

    /** Sells everything but nothing. */
    static Outcome handle(Request request, Tx tx) {
        return request.payload().text().contains("nothing")
                ? Outcome.rejected("we do not sell nothing")
                : Outcome.ok("{\"ordered\":" + request.payload().text() + "}");
    }

    @Override
    public void close() {
        acme.close();
        globex.close();
    }
}
