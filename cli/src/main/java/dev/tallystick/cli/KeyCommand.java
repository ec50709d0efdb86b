package dev.tallystick.cli;

import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The reserve door, for scripts: do something once under a key. */
@Command(
        name = "key",
        description = {
            "Reserve a key, do something, and say what came of it: whoever repeats it gets that answer.",
            "A reservation whose holder died is settled by whoever finds out what happened."
        },
        subcommands = {
            KeyCommand.ReserveKey.class,
            KeyCommand.Commit.class,
            KeyCommand.Reject.class,
            KeyCommand.Release.class
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally key reserve backup:2030-01-31 --fingerprint SHA256",
            "  tally key commit backup:2030-01-31 --reservation ID --fence 1 --response '\"done\"'",
            "  tally key reject backup:2030-01-31 --reservation ID --fence 1 --response '\"no disk\"'",
            "  tally key release backup:2030-01-31 --reservation ID --fence 1",
        })
final class KeyCommand extends TallyCommand {

    @Override
    ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "what about keys?", "Try 'tally key --help'.");
    }

    /** What speaks of one key. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String key;

        final String path(String verb) {
            return "/v1/keys/" + TallyClient.encode(key) + "/" + verb;
        }
    }

    @Command(name = "reserve", description = "Reserve a key, or learn what came of it before.", sortOptions = false)
    static final class ReserveKey extends OfOne {

        @Option(
                names = "--fingerprint",
                paramLabel = "SHA256",
                required = true,
                description = "What the key stands for: the SHA-256 of the request, in hex.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String fingerprint;

        @Override
        ExitCode run(TallyClient client) {
            Json body = new Json.ObjectValue(Map.of(
                    "fingerprint", Json.of(fingerprint),
                    "reservation_id",
                            Json.of(new Ids(Clock.systemUTC(), new SecureRandom())
                                    .next()
                                    .toString())));
            answer(client.post(path("reserve"), body));
            return ExitCode.OK;
        }
    }

    /** What settles a reservation. */
    abstract static class Settling extends OfOne {

        @Option(names = "--reservation", paramLabel = "ID", required = true, description = "The id of the reservation.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private UUID reservation;

        @Option(names = "--fence", paramLabel = "N", description = "Its fence (default: ${DEFAULT-VALUE}).")
        private long fence = 1;

        final ExitCode settle(TallyClient client, String verb, @Nullable String response) {
            Map<String, Json> body = new TreeMap<>();
            body.put("reservation_id", Json.of(reservation.toString()));
            body.put("fence", Json.of(fence));
            if (response != null) {
                body.put("response", json(response));
            }
            Reply settled = client.post(path(verb), new Json.ObjectValue(body));
            answer(settled);
            return ExitCode.OK;
        }
    }

    @Command(name = "commit", description = "It is done.", sortOptions = false)
    static final class Commit extends Settling {

        @Option(names = "--response", paramLabel = "JSON", description = "What repeats are answered (default: null).")
        private String response = "null";

        @Override
        ExitCode run(TallyClient client) {
            return settle(client, "commit", response);
        }
    }

    @Command(name = "reject", description = "It is refused, and would be again.", sortOptions = false)
    static final class Reject extends Settling {

        @Option(names = "--response", paramLabel = "JSON", description = "What repeats are answered (default: null).")
        private String response = "null";

        @Override
        ExitCode run(TallyClient client) {
            return settle(client, "reject", response);
        }
    }

    @Command(name = "release", description = "Nothing happened: the key is free again.", sortOptions = false)
    static final class Release extends Settling {

        @Override
        ExitCode run(TallyClient client) {
            return settle(client, "release", null);
        }
    }
}
