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
import java.util.function.Consumer;
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
        return with(draft -> draft.outbox = other);
    }

    public DaemonSettings withCourier(CourierSettings other) {
        return with(draft -> draft.courier = other);
    }

    public DaemonSettings withReceiver(Receiver.Settings other) {
        return with(draft -> draft.receiver = other);
    }

    /** Without a socket: only the application that contains the daemon can send. */
    public DaemonSettings withoutSocket() {
        return with(draft -> draft.serves = false);
    }

    public DaemonSettings withTcpPort(@Nullable Integer port) {
        return with(draft -> draft.tcpPort = port);
    }

    public DaemonSettings receiving(boolean wanted) {
        return with(draft -> draft.receives = wanted);
    }

    public DaemonSettings withHookLimit(Duration limit) {
        return with(draft -> draft.hookLimit = limit);
    }

    public DaemonSettings withClones(ClonePolicy policy) {
        return with(draft -> draft.clones = policy);
    }

    public DaemonSettings withVersion(String text) {
        return with(draft -> draft.version = text);
    }

    DaemonSettings withClock(Clock other) {
        return with(draft -> draft.clock = other);
    }

    DaemonSettings withCrashPoints(CrashPoints other) {
        return with(draft -> draft.crashPoints = other);
    }

    private DaemonSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.settings();
    }

    /** A copy that can be changed. */
    private static final class Draft {

        private final Path directory;
        private final Supplier<TallyClient> clients;
        private OutboxSettings outbox;
        private CourierSettings courier;
        private Receiver.Settings receiver;
        private boolean serves;
        private @Nullable Integer tcpPort;
        private boolean receives;
        private Duration hookLimit;
        private ClonePolicy clones;
        private String version;
        private Clock clock;
        private CrashPoints crashPoints;

        Draft(DaemonSettings from) {
            this.directory = from.directory;
            this.clients = from.clients;
            this.outbox = from.outbox;
            this.courier = from.courier;
            this.receiver = from.receiver;
            this.serves = from.serves;
            this.tcpPort = from.tcpPort;
            this.receives = from.receives;
            this.hookLimit = from.hookLimit;
            this.clones = from.clones;
            this.version = from.version;
            this.clock = from.clock;
            this.crashPoints = from.crashPoints;
        }

        DaemonSettings settings() {
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
                    clock,
                    crashPoints);
        }
    }
}
