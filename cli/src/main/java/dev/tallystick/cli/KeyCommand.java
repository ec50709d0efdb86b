package dev.tallystick.cli;

import dev.tallystick.client.RefusedException;
import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The reserve door, for scripts: do something once under a key. */
@Command(
        name = "key",
        description = {
            "Reserve a key, do something, and say what came of it: whoever repeats it gets that answer.",
            "A reservation whose holder died is settled by whoever finds out what happened: its owner, or an admin."
        },
        subcommands = {
            KeyCommand.ReserveKey.class,
            KeyCommand.Commit.class,
            KeyCommand.Reject.class,
            KeyCommand.Release.class,
            KeyCommand.Ls.class,
            KeyCommand.Show.class,
            KeyCommand.Resolve.class
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally key reserve backup:2030-01-31 --fingerprint SHA256",
            "  tally key commit backup:2030-01-31 --reservation ID --fence 1 --response '\"done\"'",
            "  tally key reject backup:2030-01-31 --reservation ID --fence 1 --response '\"no disk\"'",
            "  tally key release backup:2030-01-31 --reservation ID --fence 1",
            "  tally key ls",
            "  tally key show backup:2030-01-31",
            "  tally key resolve backup:2030-01-31 --member shop --reservation ID --as released",
        })
final class KeyCommand extends TallyCommand {

    private static final Set<String> OPEN = Set.of("pending", "outcome_unknown");
    private static final int NOT_FOUND = 404;

    @Override
    ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "what about keys?", "Try 'tally key --help'.");
    }

    /** What speaks of one key. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String key;

        final String path() {
            return "/v1/keys/" + TallyClient.encode(key);
        }

        final String path(String verb) {
            return path() + "/" + verb;
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
            // The server would wait for the holder, and the client after it: whoever types this would rather know.
            Optional<Reply> held = heldBefore(client);
            if (held.isPresent()) {
                answer(held.get());
                progress("somebody has reserved it and not settled it yet; whoever knows what came of it can, with its"
                        + " reservation_id and fence");
                return ExitCode.CONFLICT;
            }
            Json body = new Json.ObjectValue(Map.of(
                    "fingerprint", Json.of(fingerprint),
                    "reservation_id",
                            Json.of(new Ids(Clock.systemUTC(), new SecureRandom())
                                    .next()
                                    .toString())));
            answer(client.post(path("reserve"), body));
            return ExitCode.OK;
        }

        /** The same request under the same key, if it is under way. */
        private Optional<Reply> heldBefore(TallyClient client) {
            String me = client.get("/v1/me").text("name");
            try {
                return elements(client.get(path()).member("keys")).stream()
                        .filter(held -> held.text("member").equals(me)
                                && held.text("fingerprint").equals(fingerprint)
                                && OPEN.contains(held.text("status")))
                        .findFirst();
            } catch (RefusedException e) {
                if (e.status() == NOT_FOUND) {
                    return Optional.empty();
                }
                throw e;
            }
        }
    }

    /** What settles a reservation. */
    abstract static class Settling extends OfOne {

        @Option(names = "--reservation", paramLabel = "ID", required = true, description = "The id of the reservation.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private UUID reservation;

        @Option(names = "--fence", paramLabel = "N", description = "Its fence (default: ${DEFAULT-VALUE}).")
        private long fence = 1;

        final ExitCode settle(TallyClient client, String verb, @Nullable String response, Map<String, Json> more) {
            Map<String, Json> body = new TreeMap<>(more);
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
            return settle(client, "commit", response, Map.of());
        }
    }

    @Command(name = "reject", description = "It is refused, and would be again.", sortOptions = false)
    static final class Reject extends Settling {

        @Option(names = "--response", paramLabel = "JSON", description = "What repeats are answered (default: null).")
        private String response = "null";

        @Override
        ExitCode run(TallyClient client) {
            return settle(client, "reject", response, Map.of());
        }
    }

    @Command(name = "release", description = "Nothing happened: the key is free again.", sortOptions = false)
    static final class Release extends Settling {

        @Override
        ExitCode run(TallyClient client) {
            return settle(client, "release", null, Map.of());
        }
    }

    @Command(name = "ls", description = "List what is reserved and not settled, the oldest first.", sortOptions = false)
    static final class Ls extends ServerConnection {

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 100;

        @Override
        ExitCode run(TallyClient client) {
            Reply list = client.get("/v1/keys?limit=" + limit);
            answer(list, table(list));
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Show who has reserved a key, and since when.")
    static final class Show extends OfOne {

        @Override
        ExitCode run(TallyClient client) {
            Reply held = client.get(path());
            answer(held, table(held));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "resolve",
            description = {
                "Say what came of it in place of a member, as an admin who has found out.",
                "What the holder says later is refused."
            },
            sortOptions = false)
    static final class Resolve extends Settling {

        @Option(names = "--member", paramLabel = "NAME", required = true, description = "Whose key it is.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String member;

        @Option(
                names = "--as",
                paramLabel = "OUTCOME",
                required = true,
                description = "committed, rejected, or released if nothing happened, for certain.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String outcome;

        @Option(names = "--response", paramLabel = "JSON", description = "What repeats are answered.")
        private @Nullable String response;

        @Override
        ExitCode run(TallyClient client) {
            return settle(client, "resolve", response, Map.of("member", Json.of(member), "outcome", Json.of(outcome)));
        }
    }

    private static String table(Reply list) {
        return ServerConnection.elements(list.member("keys")).stream()
                .map(held -> "%s  %s  %s  %s  reservation %s  fence %d  %s"
                        .formatted(
                                held.text("since"),
                                held.text("status"),
                                held.text("member"),
                                held.text("key"),
                                held.text("reservation_id"),
                                held.number("fence"),
                                held.text("holder")))
                .collect(Collectors.joining("\n"));
    }
}
