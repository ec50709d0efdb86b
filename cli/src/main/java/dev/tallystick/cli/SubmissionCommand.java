package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.daemon.DaemonDirectory;
import dev.tallystick.client.DaemonClient;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Common to the commands that submit something under a key: through the daemon if it has a directory, otherwise directly to the
 * server. A key that the daemon may know is never sent directly: the daemon may have sent it already, or may send it later.
 */
abstract class SubmissionCommand extends ServerConnection {

    @Mixin
    private final DaemonDirectory daemon = new DaemonDirectory();

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "The idempotency key (default: a new one, which is printed).")
    private @Nullable String given;

    private @Nullable IdempotencyKey key;

    /** Hands it to the daemon. */
    abstract DaemonClient.Handed hand(DaemonClient client, IdempotencyKey under);

    /** Submits it to the server. */
    abstract ExitCode submit(TallyClient client, IdempotencyKey under);

    /** The name of the ID that the server gives, in JSON. */
    abstract String idName();

    /**
     * What else to say about something that is kept here.
     *
     * @param connection the options with which a command asks the daemon's server
     */
    abstract String hint(IdempotencyKey under, String connection);

    /** Refuses what only a server can do. */
    void requireNoServer() {}

    @Override
    public final ExitCode run(TallyClient client) {
        return submit(client, key());
    }

    @Override
    public final Optional<ExitCode> runHere() {
        Optional<Path> directory = daemon.existing(environment());
        return directory.isEmpty() ? Optional.empty() : through(directory.get());
    }

    private Optional<ExitCode> through(Path directory) {
        if (namesServer()) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "the daemon in " + directory + " knows its own server and token",
                    "Leave out --server and --token-file, or set " + DaemonDirectory.VARIABLE
                            + "= to go without the daemon.");
        }
        requireSameServer(directory);
        requireNoServer();
        DaemonClient client = TallyClient.throughDaemon(directory);
        if (!client.isRunning()) {
            if (given == null) {
                progress("no daemon runs in " + directory + ": going directly to the server");
                return Optional.empty();
            }
            throw new CommandFailed(
                    ExitCode.UNAVAILABLE,
                    "no daemon runs in " + directory + ", and only it knows whether it has sent this key",
                    "Nothing was done. Start the daemon: tally daemon start --dir " + directory);
        }
        try {
            answer(hand(client, key()), DaemonDirectory.connection(directory));
            return Optional.of(ExitCode.OK);
        } catch (RefusedException e) {
            throw new CommandFailed(
                    exitCode(e), String.valueOf(e.getMessage()), "The daemon refused; nothing was kept.");
        } catch (OutcomeUnknownException e) {
            throw new CommandFailed(
                    ExitCode.UNKNOWN_OUTCOME,
                    String.valueOf(e.getMessage()),
                    "Repeat the command with --key " + key().value() + ".");
        } catch (UnavailableException e) {
            throw new CommandFailed(
                    ExitCode.UNAVAILABLE,
                    String.valueOf(e.getMessage()),
                    "Nothing was kept. Run 'tally daemon status', and repeat the command.");
        }
    }

    /** A job that was meant for one server must not go to another. */
    private void requireSameServer(Path directory) {
        String meant = environment().get("TALLY_SERVER");
        Optional<String> its = DaemonDirectory.server(directory);
        if (meant != null && its.isPresent() && !meant.equals(its.get())) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "TALLY_SERVER is " + meant + ", but the daemon in " + directory + " delivers to " + its.get(),
                    "Unset TALLY_SERVER, or set " + DaemonDirectory.VARIABLE + "= to go without the daemon.");
        }
    }

    private void answer(DaemonClient.Handed handed, String connection) {
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("key", Json.of(handed.key().value()));
        switch (handed) {
            case DaemonClient.Handed.KeptHere kept -> {
                fields.put("kept_here", Json.of(kept.status().word()));
                answer(
                        "kept here, " + kept.status().word() + ", under the key "
                                + kept.key().value(),
                        fields);
                progress(hint(kept.key(), connection));
            }
            case DaemonClient.Handed.AcceptedThere accepted -> {
                fields.put(idName(), Json.of(accepted.message().toString()));
                if (accepted.history() != null) {
                    fields.put("history_id", Json.of(accepted.history().toString()));
                }
                fields.put("duplicate", Json.of(true));
                answer("accepted there before as " + accepted.message(), fields);
            }
        }
    }

    private IdempotencyKey key() {
        if (key == null) {
            key = key(given);
        }
        return key;
    }
}
