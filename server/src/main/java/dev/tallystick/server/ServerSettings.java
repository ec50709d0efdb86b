package dev.tallystick.server;

import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.member.Quotas;
import dev.tallystick.broker.webhook.AddressPolicy;
import dev.tallystick.core.Setting;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.server.http.Certificate;
import dev.tallystick.server.http.Limits;
import dev.tallystick.sql.SchemaName;
import io.opentelemetry.api.OpenTelemetry;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server.
 *
 * @param port 0 for any free one
 * @param data the directory of its files: the admin's token, and the embedded Postgres
 * @param postgres the JDBC URL of your own Postgres; null for an embedded one
 * @param connections the number of connections to its Postgres
 * @param samples whether it runs the sample workflows
 * @param budget how much each member may request
 * @param limiter the Redis that counts the members' requests; null to count in Postgres
 * @param limits what requests, addresses, members and meshes may take
 * @param quotas how many stored objects there may be
 * @param tls its certificate for HTTPS; null for plain HTTP
 * @param schema the schema of its tables
 * @param exchange who it is in the exchange; null if it takes no part
 * @param seal whether it seals jobs into the log in its directory; one server of a Postgres does
 * @param witnesses the file that names the witnesses of the log; null for none
 * @param ledger the repository of the ledger that anchors the log; null for none
 */
public record ServerSettings(
        String host,
        int port,
        Path data,
        @Nullable String postgres,
        int connections,
        boolean samples,
        BrokerSettings broker,
        EngineSettings engine,
        Limiter.Budget budget,
        @Nullable URI limiter,
        @Nullable Certificate tls,
        SchemaName schema,
        Limits limits,
        Quotas quotas,
        @Nullable ExchangeConfig exchange,
        boolean seal,
        @Nullable Path witnesses,
        @Nullable Path ledger) {

    /** Reachable from this machine only, because there is no TLS without certificates. */
    public static final String LOOPBACK = "127.0.0.1";

    public static final int PORT = 7070;

    /** Accepting, committing and listening hold some of them all the time; the rest is for everything else. */
    public static final int FEWEST_CONNECTIONS = 12;

    /** How many bodies and pieces of work run at once, and how many of one workflow. */
    public static final String AT_ONCE = "TALLY_AT_ONCE";

    public static final String AT_ONCE_OF_ONE = "TALLY_AT_ONCE_PER_WORKFLOW";
    public static final String BUDGET = "TALLY_BUDGET";

    /** The server's name, for a server whose directory does not outlive it. */
    public static final String INSTANCE = "TALLY_INSTANCE";

    public static final String CONNECTIONS = "TALLY_CONNECTIONS";

    /** The file that says who the server is in the exchange. */
    public static final String EXCHANGE = "TALLY_EXCHANGE";

    public static final String LIMITER = "TALLY_LIMITER";
    public static final String SCHEMA = "TALLY_SCHEMA";
    public static final String SEAL = "TALLY_SEAL";
    public static final String SEAL_WITNESSES = "TALLY_SEAL_WITNESSES";
    public static final String SEAL_LEDGER = "TALLY_SEAL_LEDGER";
    public static final String TLS_CERTIFICATE = "TALLY_TLS_CERT";
    public static final String TLS_KEY = "TALLY_TLS_KEY";

    /** Whether webhooks may also be at private addresses. */
    public static final String PRIVATE_WEBHOOKS = "TALLY_WEBHOOKS_PRIVATE";

    public ServerSettings {
        if (connections < FEWEST_CONNECTIONS) {
            throw new IllegalArgumentException("a server needs " + FEWEST_CONNECTIONS
                    + " connections to its Postgres or more, got " + connections + ": set " + CONNECTIONS);
        }
    }

    /** The defaults, as changed by the environment. */
    public static ServerSettings of(Path data, Map<String, String> environment) {
        BrokerSettings broker = BrokerSettings.DEFAULT
                .withKeyRetention(KeyRetention.from(environment))
                .withGate(GateSettings.from(environment))
                .withCallable(callable(environment));
        String redis = environment.get(LIMITER);
        String chain = environment.get(TLS_CERTIFICATE);
        String key = environment.get(TLS_KEY);
        String exchange = environment.get(EXCHANGE);
        return new ServerSettings(
                LOOPBACK,
                PORT,
                data,
                null,
                Setting.number(environment, CONNECTIONS, 20),
                false,
                broker,
                EngineSettings.DEFAULT
                        .atOnce(
                                Setting.number(environment, AT_ONCE, EngineSettings.DEFAULT.atOnce()),
                                Setting.number(environment, AT_ONCE_OF_ONE, EngineSettings.DEFAULT.atOnceOfOne()))
                        .instance(environment.getOrDefault(INSTANCE, "").isBlank() ? null : environment.get(INSTANCE)),
                budget(environment),
                redis == null ? null : limiter(redis),
                chain == null && key == null
                        ? null
                        : Certificate.of(chain == null ? null : Path.of(chain), key == null ? null : Path.of(key)),
                schema(environment),
                Limits.from(environment),
                Quotas.from(environment),
                exchange == null ? null : ExchangeConfig.read(Path.of(exchange)),
                Setting.flag(environment, SEAL, false),
                path(environment, SEAL_WITNESSES),
                path(environment, SEAL_LEDGER));
    }

    private static @Nullable Path path(Map<String, String> environment, String name) {
        String value = environment.get(name);
        return value == null || value.isBlank() ? null : Path.of(value);
    }

    private static Limiter.Budget budget(Map<String, String> environment) {
        String value = environment.get(BUDGET);
        try {
            return value == null ? Limiter.Budget.DEFAULT : Limiter.Budget.parse(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(BUDGET + ": " + e.getMessage(), e);
        }
    }

    /** The error does not repeat an unreadable address: it may contain a password. */
    private static URI limiter(String address) {
        try {
            return new URI(address);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    LIMITER + " is redis://HOST:PORT, with a password that is encoded", null);
        }
    }

    private static SchemaName schema(Map<String, String> environment) {
        String value = environment.getOrDefault(SCHEMA, SchemaName.DEFAULT.value());
        try {
            return new SchemaName(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(SCHEMA + ": " + e.getMessage(), e);
        }
    }

    private static AddressPolicy callable(Map<String, String> environment) {
        return Setting.flag(environment, PRIVATE_WEBHOOKS, false) ? AddressPolicy.ANY : AddressPolicy.PUBLIC;
    }

    public ServerSettings at(String otherHost, int otherPort) {
        return with(draft -> {
            draft.host = otherHost;
            draft.port = otherPort;
        });
    }

    public ServerSettings on(@Nullable String jdbcUrl) {
        return with(draft -> draft.postgres = jdbcUrl);
    }

    public ServerSettings withConnections(int number) {
        return with(draft -> draft.connections = number);
    }

    public ServerSettings withSamples(boolean wanted) {
        return with(draft -> draft.samples = wanted);
    }

    public ServerSettings withBroker(BrokerSettings other) {
        return with(draft -> draft.broker = other);
    }

    public ServerSettings withEngine(EngineSettings other) {
        return with(draft -> draft.engine = other);
    }

    public ServerSettings withBudget(Limiter.Budget other) {
        return with(draft -> draft.budget = other);
    }

    public ServerSettings withLimiter(@Nullable URI other) {
        return with(draft -> draft.limiter = other);
    }

    public ServerSettings withTls(@Nullable Certificate other) {
        return with(draft -> draft.tls = other);
    }

    public ServerSettings withSchema(SchemaName other) {
        return with(draft -> draft.schema = other);
    }

    /** Traces to this OpenTelemetry; by default nothing is traced. */
    public ServerSettings withOpenTelemetry(OpenTelemetry telemetry) {
        return withEngine(engine.tracing(Tracing.with(telemetry)));
    }

    public ServerSettings withQuotas(Quotas other) {
        return with(draft -> draft.quotas = other);
    }

    public ServerSettings withExchange(@Nullable ExchangeConfig other) {
        return with(draft -> draft.exchange = other);
    }

    public ServerSettings withSeal(boolean wanted) {
        return with(draft -> draft.seal = wanted);
    }

    /** With a policy (C2SP tlog-policy) that says who is asked to cosign the log, and where. */
    public ServerSettings withWitnesses(Path file) {
        return with(draft -> draft.witnesses = file);
    }

    /** With the repository of a ledger that gets the checkpoints of the log. */
    public ServerSettings withLedger(Path repository) {
        return with(draft -> draft.ledger = repository);
    }

    private ServerSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.settings();
    }

    /** A copy that can be changed. */
    private static final class Draft {

        private String host;
        private int port;
        private final Path data;
        private @Nullable String postgres;
        private int connections;
        private boolean samples;
        private BrokerSettings broker;
        private EngineSettings engine;
        private Limiter.Budget budget;
        private @Nullable URI limiter;
        private @Nullable Certificate tls;
        private SchemaName schema;
        private final Limits limits;
        private Quotas quotas;
        private @Nullable ExchangeConfig exchange;
        private boolean seal;
        private @Nullable Path witnesses;
        private @Nullable Path ledger;

        Draft(ServerSettings from) {
            this.host = from.host;
            this.port = from.port;
            this.data = from.data;
            this.postgres = from.postgres;
            this.connections = from.connections;
            this.samples = from.samples;
            this.broker = from.broker;
            this.engine = from.engine;
            this.budget = from.budget;
            this.limiter = from.limiter;
            this.tls = from.tls;
            this.schema = from.schema;
            this.limits = from.limits;
            this.quotas = from.quotas;
            this.exchange = from.exchange;
            this.seal = from.seal;
            this.witnesses = from.witnesses;
            this.ledger = from.ledger;
        }

        ServerSettings settings() {
            return new ServerSettings(
                    host,
                    port,
                    data,
                    postgres,
                    connections,
                    samples,
                    broker,
                    engine,
                    budget,
                    limiter,
                    tls,
                    schema,
                    limits,
                    quotas,
                    exchange,
                    seal,
                    witnesses,
                    ledger);
        }
    }
}
