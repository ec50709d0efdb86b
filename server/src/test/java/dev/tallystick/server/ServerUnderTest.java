package dev.tallystick.server;

import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.webhook.AddressPolicy;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SchemaName;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A real server with the samples, on a database of the test, with a directory of its own. */
public final class ServerUnderTest implements AutoCloseable {

    private static final EngineSettings ENGINE = EngineSettings.DEFAULT
            .lease(Duration.ofSeconds(4), Duration.ofSeconds(1))
            .poll(Duration.ofMillis(100))
            .drain(Duration.ZERO);

    private static final Limiter.Budget PLENTY = new Limiter.Budget(1_000_000, Duration.ofSeconds(10));

    private final String url;
    private final Path data;
    private TallyServer server;

    private final UnaryOperator<ServerSettings> changes;

    private ServerUnderTest(String url, Path data, UnaryOperator<ServerSettings> changes) {
        this.url = url;
        this.data = data;
        this.changes = changes;
        this.server = start();
    }

    private TallyServer start() {
        return TallyServer.start(changes.apply(settings(url, data)));
    }

    /** A database with the tables of a server, as each start of one would leave them. */
    public static TestPostgres tables(TestPostgres postgres) {
        return postgres.prepared("server", source -> ServerSchema.ALL.migrate(Database.on(source)));
    }

    public static ServerUnderTest on(TestPostgres postgres, Path data) {
        return new ServerUnderTest(postgres.url(), data, settings -> settings);
    }

    /** One that seals jobs. */
    public static ServerUnderTest sealing(TestPostgres postgres, Path data) {
        return new ServerUnderTest(postgres.url(), data, settings -> settings.withSeal(true));
    }

    /** One that seals jobs, with its tables in this schema. */
    public static ServerUnderTest sealing(TestPostgres postgres, Path data, SchemaName schema) {
        return new ServerUnderTest(
                postgres.url(), data, settings -> settings.withSeal(true).withSchema(schema));
    }

    /** One that seals jobs and takes part in an exchange. */
    public static ServerUnderTest exchanging(TestPostgres postgres, Path data, ExchangeConfig exchange) {
        return new ServerUnderTest(
                postgres.url(), data, settings -> settings.withSeal(true).withExchange(exchange));
    }

    /** One at which a repeat waits for its original for so many seconds. */
    public static ServerUnderTest waiting(String seconds, TestPostgres postgres, Path data) {
        GateSettings gate = GateSettings.from(Map.of(GateSettings.PENDING_WAIT, seconds));
        return new ServerUnderTest(
                postgres.url(),
                data,
                settings -> settings.withBroker(settings.broker().withGate(gate)));
    }

    public static ServerSettings settings(String url, Path data) {
        return ServerSettings.of(data, Map.of())
                .at(ServerSettings.LOOPBACK, 0)
                .on(url)
                // Each is a process that Postgres starts, and a test starts many servers.
                .withConnections(ServerSettings.FEWEST_CONNECTIONS)
                .withSamples(true)
                .withEngine(ENGINE)
                .withBudget(PLENTY)
                .withBroker(
                        BrokerSettings.DEFAULT.withPoll(Duration.ofMillis(100)).withCallable(AddressPolicy.ANY));
    }

    public void restart() {
        server.close();
        server = start();
    }

    public TallyServer server() {
        return server;
    }

    public Http admin() {
        return new Http(server.address(), adminToken(data));
    }

    public Http anonymous() {
        return new Http(server.address(), "");
    }

    public static String adminToken(Path data) {
        try {
            return Files.readString(data.resolve(AdminToken.FILE)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A new member of the admin's mesh with one role, and a client with its token. */
    public Http member(String name, String role) {
        return memberOf(admin(), name, role);
    }

    public static Http memberOf(Http admin, String name, String role) {
        admin.put("/v1/members/" + name, "{\"roles\":[\"" + role + "\"]}");
        return admin.as(admin.post("/v1/members/" + name + "/tokens", "{}").text("token"));
    }

    /** The admin of a new mesh. */
    public Http mesh(String name) {
        admin().put("/v1/meshes/" + name, "{}");
        return admin().as(admin().post("/v1/meshes/" + name + "/admin-token", "{}")
                .text("token"));
    }

    @Override
    public void close() {
        server.close();
    }
}
