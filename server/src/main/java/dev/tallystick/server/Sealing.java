package dev.tallystick.server;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.LogNumber;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.log.note.Policy;
import dev.tallystick.server.http.Meters;
import dev.tallystick.server.routes.InstallationStore;
import dev.tallystick.sql.Database;
import dev.tallystick.wiring.SealedDocuments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/** The sealing of jobs into the log in the server's directory. */
final class Sealing {

    /** The file with the public key of the log, for everyone who checks receipts. */
    static String rootKey(LogNumber number) {
        return number.file("root", ".pub");
    }

    private Sealing() {}

    static Sealer open(Database database, ServerSettings settings, CrashPoints crashPoints) {
        Path data = settings.data();
        String installation = database.transact("read installation", new InstallationStore()::id)
                .toString();
        SealSettings seal = SealSettings.in(data).witnesses(policy(settings.witnesses()));
        Sealer sealer = SealedDocuments.seal(database, seal, "tallystick/" + installation, crashPoints);
        String file = rootKey(sealer.number());
        try {
            Path fresh = data.resolve(file + ".new");
            Files.writeString(fresh, sealer.rootKey() + "\n");
            Files.move(fresh, data.resolve(file), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + data.resolve(file), e);
        }
        return sealer;
    }

    private static Policy policy(@Nullable Path file) {
        if (file == null) {
            return Policy.unwitnessed();
        }
        try {
            return Policy.parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the witnesses in " + file, e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    static void measure(Meters meters, Sealer sealer) {
        meters.gauge(
                "tally_seal_lag_seconds",
                "How long the oldest accepted or closed job waits to be sealed.",
                sealer,
                source -> source.backlog().lag().toMillis() / 1_000.0);
        meters.gauge(
                "tally_seal_queue",
                "Commits whose jobs are not sealed yet.",
                sealer,
                source -> source.backlog().rows());
        meters.gauge(
                "tally_seal_alarm",
                "1 if sealing has stopped because the log is not what this server left; the server's log says why.",
                sealer,
                source -> source.backlog().alarm() == null ? 0 : 1);
        meters.gauge(
                "tally_seal_witnessed",
                "1 if a quorum of witnesses cosigned the log in the last round, 0 if not, or if there are no witnesses.",
                sealer,
                source -> source.isWitnessed() ? 1 : 0);
    }
}
