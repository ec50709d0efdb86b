package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.command.Version;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.net.Trust;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.Daemon;
import dev.tallystick.daemon.DaemonSettings;
import dev.tallystick.daemon.DaemonStartException;
import dev.tallystick.daemon.delivery.CourierSettings;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.daemon.outbox.OutboxSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts a daemon, in this process or in one of its own. */
@Command(
        name = "start",
        description = {
            "Start the daemon. It accepts at once, whether or not the server can be reached.",
            "The first start remembers --server and --token-file for the next ones."
        },
        optionListHeading = "%nOptions:%n")
final class DaemonStart extends LocalCommand {

    static final String CONFIGURATION = "daemon.json";

    private static final String DEFAULT_SERVER = "http://127.0.0.1:7070";
    private static final long STARTING_SECONDS = 30;
    private static final long STEP_MILLIS = 50;
    private static final long LARGEST_LOG = 4L << 20;

    @Option(names = "--foreground", description = "Run in this process until it is stopped.")
    private boolean foreground;

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "The server (default: as before, else TALLY_SERVER, else " + DEFAULT_SERVER + ").")
    private @Nullable String server;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "The file with your token, read at each connection (default: as before).")
    private @Nullable Path tokenFile;

    @Option(names = "--tcp-port", paramLabel = "PORT", description = "Also listen on this loopback port, with a token.")
    private @Nullable Integer tcpPort;

    @Option(
            names = "--max-bytes",
            paramLabel = "N",
            description = "The size limit of the outbox (default: ${DEFAULT-VALUE}).")
    private long maxBytes = OutboxSettings.DEFAULT.maxBytes();

    @Option(
            names = "--max-age-hours",
            paramLabel = "N",
            description = "How long a send is repeated (default: by the server's promise).")
    private @Nullable Integer maxAgeHours;

    @Option(names = "--no-inbox", description = "Do not fetch the messages of your member.")
    private boolean noInbox;

    @Option(
            names = "--clone",
            paramLabel = "WORD",
            description = "If the directory was made on another machine: refuse, warn or allow (default: refuse).")
    private String clone = "refuse";

    @Override
    public ExitCode run() throws Exception {
        return foreground ? runHere() : runBeside();
    }

    private ExitCode runHere() throws InterruptedException {
        CountDownLatch stopped = new CountDownLatch(1);
        Daemon daemon;
        try {
            daemon = Daemon.start(settings());
            remember();
        } catch (DaemonStartException e) {
            throw new CommandFailed(exitCode(e.kind()), String.valueOf(e.getMessage()), "The daemon did not start.");
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Change this and start again.");
        }
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            daemon.close();
            stopped.countDown();
        }));
        Map<String, Json> fields = new TreeMap<>();
        fields.put("directory", Json.of(directory().toString()));
        fields.put("pid", Json.of(ProcessHandle.current().pid()));
        if (daemon.tcpPort() != 0) {
            fields.put("tcp_port", Json.of(daemon.tcpPort()));
        }
        answer("accepting in " + directory(), new Json.ObjectValue(fields));
        stopped.await();
        return ExitCode.OK;
    }

    private static ExitCode exitCode(DaemonStartException.Kind kind) {
        return switch (kind) {
            case IN_USE, CLONED, OUTBOX -> ExitCode.CONFLICT;
            case NOT_PRIVATE, UNUSABLE -> ExitCode.USAGE;
        };
    }

    private DaemonSettings settings() {
        Duration maximumAge = maxAgeHours == null ? null : Duration.ofHours(maxAgeHours);
        return DaemonSettings.of(directory(), clients())
                .withOutbox(OutboxSettings.DEFAULT.withMaxBytes(maxBytes))
                .withCourier(CourierSettings.DEFAULT.withMaximumAge(maximumAge))
                .withTcpPort(tcpPort)
                .receiving(!noInbox)
                .withClones(DaemonSettings.ClonePolicy.parse(clone))
                .withVersion(Version.current());
    }

    /** A new client only when the token has changed. */
    private Supplier<TallyClient> clients() {
        URI address = address();
        String authority = authority();
        return new Supplier<>() {

            private @Nullable String last;
            private @Nullable TallyClient client;

            @Override
            public synchronized TallyClient get() {
                String token = token();
                TallyClient known = client;
                if (known == null || !token.equals(last)) {
                    known = authority == null
                            ? new TallyClient(address, token, DaemonSettings.PATIENCE)
                            : new TallyClient(address, token, DaemonSettings.PATIENCE, Trust.in(Path.of(authority)));
                    client = known;
                    last = token;
                }
                return known;
            }
        };
    }

    private URI address() {
        String remembered = DaemonCommand.remembered(directory(), "server");
        String otherwise = remembered == null ? environment().getOrDefault("TALLY_SERVER", DEFAULT_SERVER) : remembered;
        return ServerConnection.address(server == null ? otherwise : server);
    }

    /** Read at each connection: a token may be renewed while the daemon runs. */
    private String token() {
        String fromEnvironment = environment().get("TALLY_TOKEN");
        Path file = tokenFile();
        if (file == null) {
            if (fromEnvironment == null) {
                throw new IllegalStateException("no token: start with --token-file FILE, or set TALLY_TOKEN");
            }
            return fromEnvironment.strip();
        }
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the token in " + file + ": " + e, e);
        }
    }

    /** The file of the authority that vouches for the server, if it is none that this machine knows. */
    private @Nullable String authority() {
        String named = environment().get("TALLY_CA");
        return named == null
                ? DaemonCommand.remembered(directory(), "ca")
                : Path.of(named).toAbsolutePath().toString();
    }

    private @Nullable Path tokenFile() {
        if (tokenFile != null) {
            return tokenFile.toAbsolutePath();
        }
        String remembered = DaemonCommand.remembered(directory(), "token_file");
        return remembered == null ? null : Path.of(remembered);
    }

    private void remember() {
        Map<String, Json> fields = new TreeMap<>();
        fields.put("server", Json.of(address().toString()));
        Path file = tokenFile();
        if (file != null) {
            fields.put("token_file", Json.of(file.toString()));
        }
        String authority = authority();
        if (authority != null) {
            fields.put("ca", Json.of(authority));
        }
        Path configuration = directory().resolve(CONFIGURATION);
        try {
            // Whole or as before: a start that is killed here must not keep the next one from reading it.
            Path fresh = configuration.resolveSibling(CONFIGURATION + ".new");
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, privately("rw-------"));
            Files.writeString(fresh, new Json.ObjectValue(fields).canonical() + "\n");
            Files.move(fresh, configuration, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, "cannot write " + configuration + ": " + e, "Make the directory writable.");
        }
    }

    private static FileAttribute<?> privately(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }

    /** Starts the same command in the foreground of another process, and waits until it accepts or ends. */
    private ExitCode runBeside() throws IOException, InterruptedException {
        Path directory = directory().toAbsolutePath();
        refuseSecond(directory);
        if (!Files.exists(directory)) {
            Files.createDirectories(directory, privately("rwx------"));
        }
        Path log = directory.resolve(DaemonCommand.LOG);
        if (Files.exists(log) && Files.size(log) > LARGEST_LOG) {
            Files.move(log, log.resolveSibling(DaemonCommand.LOG + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.exists(log)) {
            Files.createFile(log, privately("rw-------"));
        }
        long before = Files.size(log);
        ProcessBuilder builder = new ProcessBuilder(command(directory))
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        environment().forEach((name, value) -> {
            if (name.startsWith("TALLY_")) {
                builder.environment().put(name, value);
            }
        });
        Process process = builder.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTING_SECONDS);
        while (!accepts(directory, process)) {
            if (process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new CommandFailed(
                        process.exitValue() == ExitCode.CONFLICT.code() ? ExitCode.CONFLICT : ExitCode.USAGE,
                        "the daemon did not start: " + since(log, before),
                        "The log is " + log + ".");
            }
            if (System.nanoTime() - deadline > 0) {
                throw new CommandFailed(
                        ExitCode.INTERNAL,
                        "the daemon does not accept yet",
                        "It may still start: see 'tally daemon logs'.");
            }
        }
        return answer(
                "accepting in " + directory + ", process " + process.pid(),
                new Json.ObjectValue(
                        Map.of("directory", Json.of(directory.toString()), "pid", Json.of(process.pid()))));
    }

    /** At once: the other process would come to the same conclusion, only later. */
    private static void refuseSecond(Path directory) {
        try (LocalClient running = LocalClient.to(directory)) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    "a daemon already runs in " + directory + ", process "
                            + ServerConnection.words(
                                    running.get("/v1/health").json().members().get("pid")),
                    "Stop it first, or use another directory.");
        } catch (IOException e) {
            // None listens; whether one can start is found by starting it.
        }
    }

    private List<String> command(Path directory) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            // So that closing the terminal does not stop it.
            command.add("/usr/bin/setsid");
        }
        command.addAll(DaemonInstall.javaCommand(mainClass()));
        command.addAll(List.of("daemon", "start", "--foreground", "--dir", directory.toString()));
        if (server != null) {
            command.addAll(List.of("--server", server));
        }
        Path file = tokenFile();
        if (file != null) {
            command.addAll(List.of("--token-file", file.toString()));
        }
        if (tcpPort != null) {
            command.addAll(List.of("--tcp-port", tcpPort.toString()));
        }
        if (maxAgeHours != null) {
            command.addAll(List.of("--max-age-hours", maxAgeHours.toString()));
        }
        if (noInbox) {
            command.add("--no-inbox");
        }
        command.addAll(List.of("--max-bytes", Long.toString(maxBytes), "--clone", clone));
        return command;
    }

    /** Whether this very process accepts: another daemon in the directory does not count. */
    private static boolean accepts(Path directory, Process process) {
        try (LocalClient client = LocalClient.to(directory)) {
            return client.get("/v1/health").json().members().get("pid") instanceof Json.NumberValue pid
                    && ((long) pid.value() == process.pid()
                            || process.descendants().anyMatch(p -> p.pid() == (long) pid.value()));
        } catch (IOException e) {
            return false;
        }
    }

    private static String since(Path log, long before) throws IOException {
        byte[] all = Files.readAllBytes(log);
        return new String(all, (int) before, all.length - (int) before, StandardCharsets.UTF_8).strip();
    }
}
