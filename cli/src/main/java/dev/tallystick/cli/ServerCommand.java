package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.Logs;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.core.Json;
import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.postgres.DirectoryInUseException;
import dev.tallystick.server.NoDatabaseException;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import dev.tallystick.server.VitalThreads;
import dev.tallystick.server.http.Certificate;
import dev.tallystick.server.http.ListenFailedException;
import dev.tallystick.sql.NotDurableException;
import dev.tallystick.sql.SchemaException;
import dev.tallystick.sql.SchemaName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a server until it is stopped. */
@Command(
        name = "server",
        description = {
            "Run a server: jobs and messages over HTTP, on your own or an embedded Postgres.",
            "Shuts down gracefully on SIGINT or SIGTERM.",
            "Environment: OTEL_EXPORTER_OTLP_ENDPOINT=URL sends OpenTelemetry traces there;",
            "TALLY_LOG=json logs one JSON object per line; TALLY_LOG_LEVEL=info or debug logs more."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally server --samples",
            "  tally server --port 8080 --data /var/lib/tally --seal",
            "  tally server --postgres 'jdbc:postgresql://db/tally?user=tally'",
        })
final class ServerCommand extends TallyCommand {

    private static final String POSTGRES = "TALLY_POSTGRES";
    private static final String PASSWORD = "TALLY_POSTGRES_PASSWORD";
    private static final String PASSWORD_FILE = "TALLY_POSTGRES_PASSWORD_FILE";

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description = "The address to listen on (default: ${DEFAULT-VALUE}).")
    private String host = ServerSettings.LOOPBACK;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The port; 0 for any free one (default: ${DEFAULT-VALUE}).")
    private int port = ServerSettings.PORT;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where the server keeps its files (default: ${DEFAULT-VALUE}).")
    private Path data = ServerConnection.DATA;

    @Option(
            names = "--postgres",
            paramLabel = "JDBC-URL",
            description = {
                "Your own durable Postgres, 15 or newer; an embedded one in DIR if omitted",
                "(default: TALLY_POSTGRES). Its password is in TALLY_POSTGRES_PASSWORD,",
                "or in the file that TALLY_POSTGRES_PASSWORD_FILE names."
            })
    private @Nullable String postgres;

    @Option(
            names = "--database-wait",
            paramLabel = "SECONDS",
            description = {
                "How long to wait at startup for a Postgres that is down, starting or recovering",
                "(default: ${DEFAULT-VALUE})."
            })
    private int databaseWait = (int) TallyServer.DATABASE_WAIT.toSeconds();

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description = "The schema that holds the tables (default: TALLY_SCHEMA, or tally); see 'tally schema'.")
    private @Nullable String schema;

    @Option(
            names = "--samples",
            description = {
                "Run the sample workflows: sample.order, sample.approval and sample.review,",
                "whose input is {\"order\": \"42\"}, and sample.greeting, whose input is anything."
            })
    private boolean samples;

    @Option(
            names = "--seal",
            description = {
                "Seal every job into the log in DIR, for receipts that others can check (default: TALLY_SEAL).",
                "Of the servers that share a Postgres, give it to the one that has the log's directory."
            })
    private boolean seal;

    @Option(
            names = "--witnesses",
            paramLabel = "FILE",
            description = {
                "Ask these witnesses to cosign the log: a policy in the format of C2SP tlog-policy, with addresses",
                "(default: TALLY_SEAL_WITNESSES)."
            })
    private @Nullable Path witnesses;

    @Option(
            names = "--ledger",
            paramLabel = "DIR",
            description = {
                "Put the log's checkpoint into the ledger in this repository every few minutes and at shutdown",
                "(default: TALLY_SEAL_LEDGER)."
            })
    private @Nullable Path ledger;

    @Option(
            names = "--limiter",
            paramLabel = "redis://HOST:PORT",
            description = "Count requests for rate limits in this Redis instead of Postgres (default: TALLY_LIMITER).")
    private @Nullable URI limiter;

    @Option(
            names = "--tls-cert",
            paramLabel = "PEM",
            description = "Serve HTTPS with this certificate chain (default: TALLY_TLS_CERT).")
    private @Nullable Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "PEM",
            description = "The certificate's private key, PKCS#8, not encrypted (default: TALLY_TLS_KEY).")
    private @Nullable Path privateKey;

    @Override
    public ExitCode run() throws InterruptedException {
        VitalThreads.watch();
        progress("opening the database …");
        CountDownLatch stopped = new CountDownLatch(1);
        Telemetry telemetry = telemetry();
        TallyServer server = start(telemetry);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            progress("stopping …");
            server.close();
            telemetry.sending().run();
            progress("stopped");
            stopped.countDown();
        }));
        if (server.isFirstStart()) {
            progress("the admin's token is in " + server.adminToken() + "; send it as Authorization: Bearer TOKEN");
        }
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("address", Json.of(server.address().toString()));
        fields.put("admin_token_file", Json.of(server.adminToken().toString()));
        answer("listening on " + server.address(), fields);
        stopped.await();
        return ExitCode.OK;
    }

    private Telemetry telemetry() {
        try {
            return Telemetry.from(environment());
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, String.valueOf(e.getMessage()), "Fix the OTEL_… variables and start again.");
        }
    }

    /** Never on the command line, which every user of the machine can read. */
    private @Nullable String postgres(Map<String, String> environment) {
        String url = postgres == null ? environment.get(POSTGRES) : postgres;
        String file = environment.get(PASSWORD_FILE);
        String password = environment.get(PASSWORD);
        if (url == null) {
            return null;
        }
        if (password != null && file != null) {
            throw new IllegalArgumentException("set " + PASSWORD + " or " + PASSWORD_FILE + ", not both");
        }
        String secret = file == null ? password : read(Path.of(file));
        return secret == null
                ? url
                : url + (url.indexOf('?') < 0 ? '?' : '&') + "password="
                        + URLEncoder.encode(secret, StandardCharsets.UTF_8);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the file in " + PASSWORD_FILE + ": " + e, e);
        }
    }

    private TallyServer start(Telemetry telemetry) {
        try {
            Logs.require(environment());
            ServerSettings settings = ServerSettings.of(data, environment())
                    .at(host, port)
                    .on(postgres(environment()))
                    .withSamples(samples)
                    .withOpenTelemetry(telemetry.api());
            if (schema != null) {
                settings = settings.withSchema(new SchemaName(schema));
            }
            if (seal) {
                settings = settings.withSeal(true);
            }
            if (witnesses != null) {
                settings = settings.withWitnesses(witnesses);
            }
            if (ledger != null) {
                settings = settings.withLedger(ledger);
            }
            if (limiter != null) {
                settings = settings.withLimiter(limiter);
            }
            if (certificate != null || privateKey != null) {
                settings = settings.withTls(Certificate.of(certificate, privateKey));
            }
            return TallyServer.start(settings, Duration.ofSeconds(databaseWait));
        } catch (NotDurableException e) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    String.valueOf(e.getMessage()),
                    "Turn these settings on: acknowledged commits of this Postgres would not survive a power cut.");
        } catch (SchemaException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT, String.valueOf(e.getMessage()), "'tally schema check' shows what is missing.");
        } catch (ListenFailedException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "Choose another --port, or stop the process that uses it.");
        } catch (NoDatabaseException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "Is it running, and are host, port, database, user and password in --postgres right?");
        } catch (InvalidGraphException e) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    String.valueOf(e.getMessage()),
                    "Fix the file in " + data.resolve("workflows") + ", or remove it.");
        } catch (UncheckedIOException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, e.getMessage() + ": " + e.getCause(), "Choose a writable directory with --data.");
        } catch (DirectoryInUseException e) {
            throw new CommandFailed(
                    ExitCode.CONFLICT,
                    String.valueOf(e.getMessage()),
                    "To share a Postgres between servers, pass --postgres and a separate --data for each.");
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Change this and start again.");
        }
    }
}
