package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.core.file.SecretReader;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.witness.Witness;
import dev.tallystick.log.witness.WitnessServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Witnesses the logs of others. */
@Command(
        name = "witness",
        description = "Watch the logs of others, and cosign what continues them.",
        subcommands = WitnessCommand.Serve.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = "  tally witness serve --name witness.example/w1 --log root.pub --data /var/lib/witness")
public final class WitnessCommand extends TallyCommand {

    @Override
    public ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "missing subcommand", "Try 'tally witness --help'.");
    }

    @Command(
            name = "serve",
            description = {
                "Cosign checkpoints of the given logs over HTTP (C2SP tlog-witness), each only if it continues the last",
                "one. The first start makes a key. It listens on this machine only: put a proxy in front that speaks TLS.",
                "Shuts down on SIGINT or SIGTERM."
            },
            sortOptions = false)
    static final class Serve extends TallyCommand {

        private static final String KEY = "witness.key";

        @Option(
                names = "--name",
                paramLabel = "NAME",
                required = true,
                description = "The name of the witness, which no other has, such as witness.example/w1.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String name;

        @Option(
                names = "--log",
                paramLabel = "FILE",
                required = true,
                description =
                        "A public key of a log to watch: its root.pub. Repeat it for more logs and for later keys.")
        private List<Path> logs = new ArrayList<>();

        @Option(
                names = "--data",
                paramLabel = "DIR",
                required = true,
                description = "The directory of its key and of the last checkpoint of each log.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private Path data;

        @Option(names = "--port", paramLabel = "PORT", description = "Default: ${DEFAULT-VALUE}; 0 for any free one.")
        private int port = 7480;

        @Override
        public ExitCode run() throws IOException, InterruptedException {
            Map<String, List<VerifierKey>> watched = new LinkedHashMap<>();
            for (Path each : logs) {
                VerifierKey key = VerifyCommand.key(each);
                watched.computeIfAbsent(key.name(), first -> new ArrayList<>()).add(key);
            }
            NoteSigner signer = signer();
            CountDownLatch stopped = new CountDownLatch(1);
            WitnessServer server =
                    WitnessServer.start(new Witness(data.resolve("logs"), signer, watched, Clock.systemUTC()), port);
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
                try {
                    server.close();
                } catch (IOException e) {
                    progress("not closed in order: " + e.getMessage());
                }
                stopped.countDown();
            }));
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("address", Json.of(server.address().toString()));
            fields.put("key", Json.of(signer.key().toString()));
            answer("listening on " + server.address() + "\nkey " + signer.key(), fields);
            stopped.await();
            return ExitCode.OK;
        }

        private NoteSigner signer() throws IOException {
            Path file = data.resolve(KEY);
            ForcedFiles.createDirectories(data);
            if (!Files.exists(file)) {
                NoteSigner fresh = NoteSigner.generate(name, VerifierKey.Type.COSIGNATURE, new SecureRandom());
                ForcedFiles.createWhole(file, fresh.secretText().getBytes(StandardCharsets.UTF_8));
                ForcedFiles.forceDirectory(data);
            }
            NoteSigner signer = NoteSigner.parse(SecretReader.read(file));
            if (!signer.key().name().equals(name)) {
                throw new CommandFailed(
                        ExitCode.CONFLICT,
                        file + " is the key of the witness '" + signer.key().name() + "'",
                        "Pass that --name, or another --data.");
            }
            return signer;
        }
    }
}
