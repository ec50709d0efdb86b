package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.IdempotencyKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Hands messages and jobs to the daemon of this machine, which keeps them on its disk and sends them to its server, now or as
 * soon as that can be reached. Thread-safe.
 *
 * <p><i>Kept here</i> is not <i>accepted there</i>: what the daemon keeps will be sent until the server answers, and the server
 * may still refuse it. {@code tally outbox inspect} shows what became of it, and {@link Jobs#findByKey} finds a job that the
 * server accepted.
 *
 * <p>If the outcome of a call is unknown, repeat it under the same key: the daemon keeps it once.
 */
public final class DaemonClient {

    /** How long one call keeps trying, for example while a daemon restarts. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The socket in a daemon's directory. */
    static final String SOCKET = "daemon.sock";

    private static final int KEPT = 202;

    private static final Duration LOOKING = Duration.ofSeconds(1);

    private final Wire wire;
    private final Transport transport;

    /** @param directory the daemon's */
    DaemonClient(Path directory, Duration patience) {
        this.wire = new SocketWire(directory.resolve(SOCKET));
        this.transport = new Transport(wire, patience);
    }

    /** Whether a daemon listens there now. Calls try for longer: a daemon that restarts is away for a moment only. */
    public boolean isRunning() {
        Attempt<Reply> attempt = wire.attempt(Request.get("/v1/health"), LOOKING, reply -> reply);
        return !(attempt instanceof Attempt.Failed<Reply> failed
                && failed.failure().kind() == AttemptFailure.Kind.NO_CONNECTION);
    }

    /** What has become of something that was handed to the daemon. */
    public sealed interface Handed {

        IdempotencyKey key();

        /** It is durable on this machine, and the server's answer is not known here. */
        record KeptHere(IdempotencyKey key, Status status) implements Handed {}

        /**
         * The server accepted it, as the daemon knows from an earlier call under this key.
         *
         * @param message the ID of the message, or of the job
         * @param history its entry in the history; null if the daemon does not know it
         */
        record AcceptedThere(
                IdempotencyKey key, UUID message, @Nullable UUID history) implements Handed {}
    }

    /** The state of something that is kept here. */
    public enum Status {
        /** It waits for its turn. */
        QUEUED,
        /** It is being sent. */
        INFLIGHT;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Status parse(String word) {
            return Arrays.stream(values())
                    .filter(status -> status.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no such status"));
        }
    }

    /** Hands over a message. It is durable on this machine when this returns. */
    public Handed send(Messages.NewMessage message, IdempotencyKey key) {
        return hand("/v1/send", Messages.body(message), key);
    }

    /** Hands over a job. It is durable on this machine when this returns. */
    public Handed submit(TallyClient.NewJob job, IdempotencyKey key) {
        return hand("/v1/jobs", TallyClient.body(job), key);
    }

    private Handed hand(String path, Record body, IdempotencyKey key) {
        Request request = Request.post(path, body).under(key.value());
        return transport.settle(request, reply -> handed(reply, key)).answer();
    }

    private static Handed handed(Reply reply, IdempotencyKey key) {
        Fields fields = reply.fields().about("client_message_id", key.value());
        if (reply.status() == KEPT) {
            return new Handed.KeptHere(key, fields.text("status", Status::parse));
        }
        if (!fields.flag("duplicate")) {
            throw new ForeignAnswer("it is neither kept nor a duplicate");
        }
        return new Handed.AcceptedThere(
                key,
                fields.text("broker_message_id", UUID::fromString),
                fields.optionalText("history_id", UUID::fromString));
    }
}
