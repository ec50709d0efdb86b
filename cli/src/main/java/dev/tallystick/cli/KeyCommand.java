package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.Keys;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reserves and settles keys, for scripts that must do something once. */
@Command(
        name = "key",
        description = {
            "Reserve a key, do the work, record the outcome. Repeats get the recorded answer.",
            "If the holder died, the key's owner or an admin finds out what happened and settles it."
        },
        subcommands = {
            KeyCommand.ReserveKey.class,
            KeyCommand.Commit.class,
            KeyCommand.Reject.class,
            KeyCommand.Release.class,
            KeyCommand.Ls.class,
            KeyCommand.Show.class,
            KeyCommand.Resolve.class,
            KeyCommand.Prove.class
        },
        footer = {
            "  tally key reserve backup:2030-01-31 --fingerprint SHA256",
            "  tally key commit backup:2030-01-31 --reservation ID --fence 1 --response '\"done\"'",
            "  tally key reject backup:2030-01-31 --reservation ID --fence 1 --response '\"no disk\"'",
            "  tally key release backup:2030-01-31 --reservation ID --fence 1",
            "  tally key ls",
            "  tally key show backup:2030-01-31",
            "  tally key prove order:42",
            "  tally key resolve backup:2030-01-31 --member shop --reservation ID --as released",
        })
final class KeyCommand extends CommandGroup {

    /** A command about one key. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
        private String key;

        final IdempotencyKey key() {
            return key(key);
        }
    }

    @Command(name = "reserve", description = "Reserve a key, or get its recorded outcome.")
    static final class ReserveKey extends OfOne {

        @Option(
                names = "--fingerprint",
                paramLabel = "SHA256",
                required = true,
                description = "The SHA-256 of the request, in hex.")
        private String fingerprint;

        @Override
        public ExitCode run(TallyClient client) {
            Fingerprint request = request();
            // The server would wait for the holder; on a terminal, an immediate answer is better.
            Optional<Json.ObjectValue> held = heldBefore(client, request);
            if (held.isPresent()) {
                return settleFirst(held.get());
            }
            return switch (client.keys().reserve(key(), request)) {
                case Keys.Reserve.Reserved reserved -> answer();
                case Keys.Reserve.Replayed replayed -> answer();
                case Keys.Reserve.InProgress other -> settleFirst(other.reservation());
                case Keys.Reserve.Unresolved unknown -> settleFirst(unknown.reservation());
            };
        }

        private Fingerprint request() {
            try {
                return new Fingerprint(fingerprint);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(
                        ExitCode.USAGE, String.valueOf(e.getMessage()), "Pass the SHA-256 of the request, in hex.");
            }
        }

        /** The open reservation of the same request under the same key. */
        private Optional<Json.ObjectValue> heldBefore(TallyClient client, Fingerprint request) {
            String me = client.members().me().name();
            List<Keys.Held> found = client.keys().find(key());
            return IntStream.range(0, found.size())
                    .filter(i -> isSame(found.get(i), me, request))
                    .mapToObj(i -> said("keys").get(i))
                    .findFirst();
        }

        private static boolean isSame(Keys.Held held, String member, Fingerprint request) {
            return held.isOpen()
                    && held.member().equals(member)
                    && held.fingerprint().equals(request.hex());
        }

        private ExitCode settleFirst(Keys.Reservation meanwhile) {
            return settleFirst(new Json.ObjectValue(
                    Map.of("reservation_id", Json.of(meanwhile.id().toString()), "fence", Json.of(meanwhile.fence()))));
        }

        private ExitCode settleFirst(Json.ObjectValue held) {
            answer(held);
            progress("the key is reserved and not settled; if you know the outcome, settle it with this"
                    + " reservation_id and fence");
            return ExitCode.CONFLICT;
        }
    }

    /** A command that settles a reservation. */
    abstract static class Settling extends OfOne {

        @Option(names = "--reservation", paramLabel = "ID", required = true, description = "The ID of the reservation.")
        private UUID reservation;

        @Option(
                names = "--fence",
                paramLabel = "N",
                description = "The reservation's fence (default: ${DEFAULT-VALUE}).")
        private long fence = 1;

        abstract void settle(Keys keys, Keys.Reservation held);

        @Override
        public final ExitCode run(TallyClient client) {
            settle(client.keys(), new Keys.Reservation(key(), reservation, fence));
            return answer();
        }
    }

    @Command(name = "commit", description = "Record success.")
    static final class Commit extends Settling {

        @Option(names = "--response", paramLabel = "JSON", description = "The answer for repeats (default: null).")
        private String response = "null";

        @Override
        void settle(Keys keys, Keys.Reservation held) {
            keys.commit(held, json(response));
        }
    }

    @Command(name = "reject", description = "Record a permanent failure.")
    static final class Reject extends Settling {

        @Option(names = "--response", paramLabel = "JSON", description = "The answer for repeats (default: null).")
        private String response = "null";

        @Override
        void settle(Keys keys, Keys.Reservation held) {
            keys.reject(held, json(response));
        }
    }

    @Command(name = "release", description = "Record that nothing happened; the key becomes free.")
    static final class Release extends Settling {

        @Override
        void settle(Keys keys, Keys.Reservation held) {
            keys.release(held);
        }
    }

    @Command(name = "ls", description = "List unsettled reservations, oldest first.")
    static final class Ls extends ServerConnection {

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 100;

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.keys().open(limit), KeyCommand::line);
        }
    }

    @Command(
            name = "prove",
            description = {
                "Show the proof of how often your key was accepted: exactly once, or never.",
                "Save it to a file, and check it with 'tally verify'. Its holder can test the log for all your keys."
            })
    static final class Prove extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            Json.ObjectValue proof = client.keys().prove(key());
            progress("This proof is about member " + words(proof.members().get("member")) + " in mesh "
                    + words(proof.members().get("mesh")) + ". Check it with 'tally verify'.");
            return print(proof.canonical());
        }
    }

    @Command(name = "show", description = "Show who reserved a key, and when.")
    static final class Show extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            List<Keys.Held> held = client.keys().find(key());
            if (held.isEmpty()) {
                throw new CommandFailed(
                        ExitCode.NOT_FOUND,
                        "no reservation of '" + key() + "' is visible to you",
                        "See 'tally key ls'.");
            }
            return answer(held, KeyCommand::line);
        }
    }

    @Command(
            name = "resolve",
            description = {
                "Settle a member's key on their behalf (admins only).",
                "A later verdict of the holder is refused."
            })
    static final class Resolve extends Settling {

        @Option(names = "--member", paramLabel = "NAME", required = true, description = "The member who owns the key.")
        private String member;

        @Option(
                names = "--as",
                paramLabel = "OUTCOME",
                required = true,
                description = "committed, rejected, or released (only if certainly nothing happened).")
        private String outcome;

        @Option(names = "--response", paramLabel = "JSON", description = "The answer for repeats.")
        private @Nullable String response;

        @Override
        void settle(Keys keys, Keys.Reservation held) {
            keys.resolve(member, held, verdict());
        }

        private Keys.Verdict verdict() {
            return switch (outcome) {
                case "committed" -> Keys.Verdict.commit(json(response == null ? "null" : response));
                case "rejected" -> Keys.Verdict.reject(json(response == null ? "null" : response));
                case "released" -> released();
                default ->
                    throw new CommandFailed(
                            ExitCode.USAGE,
                            "'" + outcome + "' is not an outcome",
                            "Pass committed, rejected or released.");
            };
        }

        private Keys.Verdict released() {
            if (response != null) {
                throw new CommandFailed(ExitCode.USAGE, "a released key has no response", "Leave out --response.");
            }
            return Keys.Verdict.release();
        }
    }

    private static String line(Keys.Held held) {
        Keys.Reservation reservation = held.reservation();
        return "%s  %s  %s  %s  reservation %s  fence %d  %s"
                .formatted(
                        held.since(),
                        held.status(),
                        held.member(),
                        reservation.key(),
                        reservation.id(),
                        reservation.fence(),
                        held.holder());
    }
}
