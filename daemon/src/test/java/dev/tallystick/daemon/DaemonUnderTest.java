package dev.tallystick.daemon;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.delivery.Backoff;
import dev.tallystick.daemon.delivery.CourierSettings;
import dev.tallystick.daemon.inbox.Receiver;
import dev.tallystick.daemon.local.LocalClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Daemons for tests, and what callers send to them. */
public final class DaemonUnderTest {

    /** Where nothing listens. */
    static final URI NOWHERE = URI.create("http://127.0.0.1:1");

    static final CourierSettings QUICK =
            CourierSettings.DEFAULT.withBackoff(new Backoff(Duration.ofMillis(20), Duration.ofMillis(200)));

    public static DaemonSettings settings(Path directory, URI server, String token) {
        TallyClient client = new TallyClient(server, token, Duration.ofSeconds(6));
        return DaemonSettings.of(directory, () -> client)
                .withCourier(QUICK)
                .withReceiver(new Receiver.Settings(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .receiving(false);
    }

    /** One that has no server. */
    public static Daemon offline(Path directory) {
        return Daemon.start(settings(directory, NOWHERE, "none"));
    }

    public static Json.ObjectValue message(String to, String text) {
        return new Json.ObjectValue(Map.of("to", Json.of(to), "message", Json.of(text)));
    }

    /** One request on a connection of its own. */
    public static LocalClient.Reply send(Path directory, String key, Json.ObjectValue body) {
        try (LocalClient client = LocalClient.to(directory)) {
            return client.ask("POST", "/v1/send", body.canonical(), Map.of("Idempotency-Key", key));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static LocalClient.Reply get(Path directory, String path) {
        try (LocalClient client = LocalClient.to(directory)) {
            return client.get(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static LocalClient.Reply post(Path directory, String path, Json.ObjectValue body) {
        try (LocalClient client = LocalClient.to(directory)) {
            return client.post(path, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String text(LocalClient.Reply reply, String name) {
        return reply.json().members().get(name) instanceof Json.StringValue text ? text.value() : "";
    }

    private DaemonUnderTest() {}
}
