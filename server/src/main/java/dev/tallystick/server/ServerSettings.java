package dev.tallystick.server;

import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.Limiter;
import dev.tallystick.engine.EngineSettings;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyRetention;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What governs a server.
 *
 * @param port 0 for any that is free
 * @param data where its files are: the admin's token, and the embedded Postgres
 * @param postgres the JDBC URL of a Postgres of yours; null for an embedded one
 * @param samples whether it runs the sample workflows
 * @param budget how much each member may ask for
 */
public record ServerSettings(
        String host,
        int port,
        Path data,
        @Nullable String postgres,
        boolean samples,
        BrokerSettings broker,
        EngineSettings engine,
        Limiter.Budget budget) {

    /** Reachable from this machine only, for there is no TLS without certificates. */
    public static final String LOOPBACK = "127.0.0.1";

    public static final int PORT = 7070;

    /** The defaults, as changed by the environment. */
    public static ServerSettings of(Path data, Map<String, String> environment) {
        BrokerSettings broker = BrokerSettings.DEFAULT
                .withKeyRetention(KeyRetention.from(environment))
                .withGate(GateSettings.from(environment));
        return new ServerSettings(
                LOOPBACK, PORT, data, null, false, broker, EngineSettings.DEFAULT, Limiter.Budget.DEFAULT);
    }

    public ServerSettings at(String otherHost, int otherPort) {
        return new ServerSettings(otherHost, otherPort, data, postgres, samples, broker, engine, budget);
    }

    public ServerSettings on(@Nullable String jdbcUrl) {
        return new ServerSettings(host, port, data, jdbcUrl, samples, broker, engine, budget);
    }

    public ServerSettings withSamples(boolean wanted) {
        return new ServerSettings(host, port, data, postgres, wanted, broker, engine, budget);
    }

    public ServerSettings withBroker(BrokerSettings other) {
        return new ServerSettings(host, port, data, postgres, samples, other, engine, budget);
    }

    public ServerSettings withEngine(EngineSettings other) {
        return new ServerSettings(host, port, data, postgres, samples, broker, other, budget);
    }

    public ServerSettings withBudget(Limiter.Budget other) {
        return new ServerSettings(host, port, data, postgres, samples, broker, engine, other);
    }
}
