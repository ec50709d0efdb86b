package dev.tallystick.cli.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.daemon.local.LocalClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The daemon: start it, stop it, and see how it is. */
@Command(
        name = "daemon",
        description = {
            "Keep what you send while the server cannot be reached, and deliver it once.",
            "'tally send' and 'tally submit' hand over to the daemon if it has a directory."
        },
        subcommands = {
            DaemonStart.class,
            DaemonCommand.Stop.class,
            DaemonCommand.Status.class,
            DaemonCommand.ShowLog.class,
            DaemonCommand.RotateKey.class,
            DaemonInstall.class
        },
        footer = {
            "  tally daemon start --server https://tally.example.org --token-file my.token",
            "  tally daemon status",
            "  tally daemon logs --lines 50",
            "  tally daemon rotate-key --grace 3600",
            "  tally daemon stop",
            "  tally daemon install",
        })
public final class DaemonCommand extends CommandGroup {

    static final String LOG = "daemon.log";

    private static final long STOPPING_SECONDS = 30;
    private static final long LONGEST_END = 1 << 20;
    private static final Set<String> TOKEN_CODES =
            Set.of(ProblemCode.UNAUTHENTICATED.word(), ProblemCode.FORBIDDEN.word());

    @Command(name = "stop", description = "Stop the daemon. What it keeps stays, for the next start.")
    static final class Stop extends LocalCommand {

        @Override
        public ExitCode run() throws InterruptedException {
            Json.ObjectValue health = reply("GET", "/v1/health", null).json();
            long pid = health.members().get("pid") instanceof Json.NumberValue number ? (long) number.value() : -1;
            ProcessHandle process = ProcessHandle.of(pid)
                    .orElseThrow(() -> new CommandFailed(
                            ExitCode.NOT_FOUND, "the daemon's process is gone", "Run 'tally daemon status'."));
            boolean unused = process.destroy();
            try {
                process.onExit().get(STOPPING_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException e) {
                throw new CommandFailed(
                        ExitCode.INTERNAL, "process " + pid + " does not stop", "Look at 'tally daemon logs'.");
            }
            return answer("stopped", new Json.ObjectValue(Map.of("stopped", Json.of(true), "pid", Json.of(pid))));
        }
    }

    @Command(
            name = "status",
            description = {
                "Say whether the daemon delivers, or why not, and how old the oldest row is.",
                "Exit code 0 means healthy, 5 that it runs but forwards nothing."
            })
    static final class Status extends LocalCommand {

        @Override
        public ExitCode run() {
            LocalClient.Reply reply = reply("GET", "/v1/health", null);
            Json.ObjectValue health = reply.json();
            answer(sentence(health.members()) + advice(health.members()), health);
            return reply.status() == 200 ? ExitCode.OK : ExitCode.UNKNOWN_OUTCOME;
        }

        private String advice(Map<String, Json> health) {
            String file = remembered(directory(), "token_file");
            return TOKEN_CODES.contains(ServerConnection.words(health.get("code")))
                    ? "\nPut a valid token into "
                            + (file == null ? "a file, and start the daemon with --token-file." : file + ".")
                    : "";
        }

        private static String sentence(Map<String, Json> health) {
            String code = ServerConnection.words(health.get("code"));
            String delivery = ServerConnection.words(health.get("delivery")) + (code.isEmpty() ? "" : ", " + code);
            String reason = ServerConnection.words(health.get("reason"));
            String oldest = ServerConnection.words(health.get("oldest_seconds"));
            String next = ServerConnection.words(health.get("next_public_key"));
            return delivery + (reason.isEmpty() ? "" : ": " + reason) + "\nkept here: "
                    + ServerConnection.words(health.get("pending")) + " pending, "
                    + ServerConnection.words(health.get("inflight")) + " inflight"
                    + (oldest.isEmpty() ? "" : "; the oldest for " + oldest + " s") + "\naccepted there: "
                    + ServerConnection.words(health.get("delivered")) + " since the start\ndead: "
                    + ServerConnection.words(health.get("dead")) + "\ndevice: "
                    + ServerConnection.words(health.get("device")) + ", key "
                    + ServerConnection.words(health.get("public_key"))
                    + (next.isEmpty() ? "" : "; the server does not have " + next + " yet");
        }
    }

    @Command(name = "logs", description = "Print the end of the daemon's log.")
    static final class ShowLog extends LocalCommand {

        @Option(names = "--lines", paramLabel = "N", description = "How many lines (default: ${DEFAULT-VALUE}).")
        private int lines = 100;

        @Override
        public ExitCode run() {
            Path log = directory().resolve(LOG);
            try (FileChannel channel = FileChannel.open(log)) {
                ByteBuffer end = ByteBuffer.allocate((int) Math.min(channel.size(), LONGEST_END));
                channel.position(channel.size() - end.capacity());
                while (end.hasRemaining() && channel.read(end) >= 0) {
                    // It may give less than there is.
                }
                List<String> all = UTF_8.decode(end.flip()).toString().lines().toList();
                all.subList(Math.max(0, all.size() - Math.max(0, lines)), all.size())
                        .forEach(this::print);
                return ExitCode.OK;
            } catch (IOException e) {
                throw new CommandFailed(
                        ExitCode.NOT_FOUND,
                        "there is no log in " + log,
                        "A daemon that runs in the foreground or as a service logs elsewhere.");
            }
        }
    }

    @Command(
            name = "rotate-key",
            description = {
                "Replace the key of this device.",
                "The daemon makes the new one and keeps it here, and replaces the old one as soon as",
                "the server has confirmed it.",
                "While a new key waits for the server, the command changes nothing."
            })
    static final class RotateKey extends LocalCommand {

        @Option(
                names = "--grace",
                paramLabel = "SECONDS",
                description = "How long the replaced key still counts, at most 30 days (default: a day).")
        private @Nullable Long grace;

        @Override
        public ExitCode run() {
            Map<String, Json> body = grace == null ? Map.of() : Map.of("grace_seconds", Json.of(grace));
            Json.ObjectValue device = ask("POST", "/v1/device/rotate", new Json.ObjectValue(body));
            answer(
                    "kept here: " + ServerConnection.words(device.members().get("next_public_key"))
                            + "\nIt becomes the key of "
                            + ServerConnection.words(device.members().get("device"))
                            + " once the server has it; 'tally daemon status' shows which one counts.",
                    device);
            return ExitCode.OK;
        }
    }

    /** A value of the file that the first start leaves, so that later ones need no options. */
    static @Nullable String remembered(Path directory, String name) {
        try {
            Path file = directory.resolve(DaemonStart.CONFIGURATION);
            if (Files.exists(file)
                    && Json.parse(Files.readString(file).strip()) instanceof Json.ObjectValue object
                    && object.members().get(name) instanceof Json.StringValue text) {
                return text.value();
            }
            return null;
        } catch (IOException | JsonRefused e) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "cannot read " + directory.resolve(DaemonStart.CONFIGURATION) + ": " + e,
                    "Remove it, and start with --server and --token-file.");
        }
    }
}
