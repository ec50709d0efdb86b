package dev.tallystick.daemon;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.daemon.delivery.CourierSettings;
import dev.tallystick.daemon.inbox.Receiver;
import dev.tallystick.daemon.outbox.OutboxSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a daemon is to be.
 *
 * @param clients gives the client to reach the server with, whenever the daemon connects
 * @param serves whether other processes can use it through its socket
 * @param tcpPort a loopback port beside the socket; null for none, 0 for any free one
 * @param receives whether it fetches the messages of its member
 * @param hookLimit how long a hook may run
 */
public record DaemonSettings(
        Path directory,
        Supplier<TallyClient> clients,
        OutboxSettings outbox,
        CourierSettings courier,
        Receiver.Settings receiver,
        boolean serves,
        @Nullable Integer tcpPort,
        boolean receives,
        Duration hookLimit,
        ClonePolicy clones,
        String version,
        Clock clock,
        CrashPoints crashPoints) {

    /** One call to the server may take so long: a third of it must do for one large message on a slow network. */
    public static final Duration PATIENCE = Duration.ofSeconds(90);

    /** What to do with a directory that was made on another machine. */
    public enum ClonePolicy {
        REFUSE,
        WARN,
        ALLOW;

        public static ClonePolicy parse(String word) {
            for (ClonePolicy each : values()) {
                if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("the policy for clones is refuse, warn or allow, not '" + word + "'");
        }
    }

    /**
     * A daemon in a directory that delivers to a server.
     *
     * @param token read whenever the daemon connects; throws an {@link IllegalStateException} if there is none
     */
    public static DaemonSettings of(Path directory, URI server, Supplier<String> token) {
        return of(directory, new Connecting(server, token, PATIENCE));
    }

    /** As above, with clients of your own: they are asked for whenever the daemon connects. */
    public static DaemonSettings of(Path directory, Supplier<TallyClient> clients) {
        return new DaemonSettings(
                directory,
                clients,
                OutboxSettings.DEFAULT,
                CourierSettings.DEFAULT,
                Receiver.Settings.DEFAULT,
                true,
                null,
                true,
                Duration.ofSeconds(30),
                ClonePolicy.REFUSE,
                "unknown",
                Clock.systemUTC(),
                CrashPoints.NONE);
    }

    public DaemonSettings withOutbox(OutboxSettings other) {
        return new DaemonSettings(
                directory,
                clients,
                other,
                courier,
                receiver,
                serves,
                tcpPort,
                receives,
                hookLimit,
                clones,
                version,
                clock,
                crashPoints);
    }

    public DaemonSettings withCourier(CourierSettings other) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                other,
                receiver,
                serves,
                tcpPort,
                receives,
                hookLimit,
                clones,
                version,
                clock,
                crashPoints);
    }

    public DaemonSettings withReceiver(Receiver.Settings other) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                other,
                serves,
                tcpPort,
                receives,
                hookLimit,
                clones,
                version,
                clock,
                crashPoints);
    }

    /** Without a socket: only the application that contains the daemon can send. */
    public DaemonSettings withoutSocket() {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                receiver,
                false,
                null,
                receives,
                hookLimit,
                clones,
                version,
                clock,
                crashPoints);
    }

    public DaemonSettings withTcpPort(@Nullable Integer port) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                receiver,
                serves,
                port,
                receives,
                hookLimit,
                clones,
                version,
                clock,
                crashPoints);
    }

    public DaemonSettings receiving(boolean wanted) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                receiver,
                serves,
                tcpPort,
                wanted,
                hookLimit,
                clones,
                version,
                clock,
                crashPoints);
    }

    public DaemonSettings withClones(ClonePolicy policy) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                receiver,
                serves,
                tcpPort,
                receives,
                hookLimit,
                policy,
                version,
                clock,
                crashPoints);
    }

    public DaemonSettings withVersion(String text) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                receiver,
                serves,
                tcpPort,
                receives,
                hookLimit,
                clones,
                text,
                clock,
                crashPoints);
    }

    DaemonSettings withClock(Clock other) {
        return new DaemonSettings(
                directory,
                clients,
                outbox,
                courier,
                receiver,
                serves,
                tcpPort,
                receives,
                hookLimit,
                clones,
                version,
                other,
                crashPoints);
    }

    DaemonSettings withCrashPoints(CrashPoints other) {
        return new DaemonSettings(
                directory, clients, outbox, courier, receiver, serves, tcpPort, receives, hookLimit, clones, version,
                clock, other);
    }
}
