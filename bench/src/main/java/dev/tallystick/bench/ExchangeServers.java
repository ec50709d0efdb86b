package dev.tallystick.bench;

import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Role;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import dev.tallystick.server.ExchangeConfig;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Two servers that know each other's addresses and tokens, to be started for each round. */
final class ExchangeServers {

    /** A server that is not running. */
    private record Site(Identity identity, String url, Path data, URI address, String tokenOfTheOther) {

        ServerSettings settings() {
            return ExchangeServers.settings(url, data).at(ServerSettings.LOOPBACK, address.getPort());
        }
    }

    private final Site acme;
    private final Site globex;

    ExchangeServers(Identity acme, String acmesUrl, Identity globex, String globexsUrl) throws IOException {
        this.acme = site(acme, acmesUrl, globex);
        this.globex = site(globex, globexsUrl, acme);
    }

    /** The first start tells its address, and gives the other a token. */
    private static Site site(Identity identity, String url, Identity other) throws IOException {
        Path data = Scratch.directory();
        try (TallyServer server = TallyServer.start(settings(url, data).at(ServerSettings.LOOPBACK, 0))) {
            TallyClient admin = new TallyClient(
                    server.address(), Files.readString(server.adminToken()).strip());
            String name = other.participant().name();
            admin.members().put(name, Role.PARTNER);
            String token = admin.tokens().issue(name, null).token();
            return new Site(identity, url, data, server.address(), token);
        }
    }

    private static ServerSettings settings(String url, Path data) {
        return ServerSettings.of(data, Map.of())
                .on(url)
                .withConnections(40)
                .withBudget(new Limiter.Budget(Integer.MAX_VALUE, Duration.ofSeconds(10)));
    }

    ExchangeLink open(Handler handler, ExchangeSettings settings) {
        TallyServer acmes = start(acme, globex, settings);
        TallyServer globexs = start(globex, acme, settings);
        globexs.exchange().handle(handler);
        return ExchangeLink.of(acmes.exchange().producer(), globexs, acmes);
    }

    private static TallyServer start(Site site, Site other, ExchangeSettings settings) {
        return TallyServer.start(site.settings()
                .withExchange(new ExchangeConfig(
                        site.identity().participant(),
                        site.identity().key(),
                        Map.of(other.identity().participant(), new Partner(other.address(), other.tokenOfTheOther())),
                        settings)));
    }
}
