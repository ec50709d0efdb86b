package dev.tallystick.cli.command;

import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.client.net.Trust;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.Priority;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Common to all commands that call a server: its address, the token, and the exit code of each refusal. */
public abstract class ServerConnection extends TallyCommand {

    public static final Path DATA = Path.of(".tally", "server");

    private static final String DEFAULT_SERVER = "http://127.0.0.1:7070";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CREATED = 201;
    private static final int UNAUTHENTICATED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOTHING_TO_SAY = 204;

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "The server (default: TALLY_SERVER, else " + DEFAULT_SERVER + ").")
    private @Nullable String server;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with your token (default: TALLY_TOKEN itself, else .tally/server/admin.token).")
    private @Nullable Path tokenFile;

    private Reply said = new Reply(NOTHING_TO_SAY, new Json.ObjectValue(Map.of()));

    public abstract ExitCode run(TallyClient client) throws Exception;

    /** What to do if the outcome of the command is unknown. */
    public String afterUnknownOutcome() {
        return "Repeat the command, with the same --key if it has one.";
    }

    /** Does the command without a server, if possible. */
    public Optional<ExitCode> runHere() {
        return Optional.empty();
    }

    @Override
    public final ExitCode run() throws Exception {
        Optional<ExitCode> done = runHere();
        if (done.isPresent()) {
            return done.get();
        }
        try {
            return run(client().withReplies(reply -> said = reply));
        } catch (RefusedException e) {
            throw new CommandFailed(exitCode(e), String.valueOf(e.getMessage()), afterRefusal(e));
        } catch (OutcomeUnknownException e) {
            throw new CommandFailed(ExitCode.UNKNOWN_OUTCOME, String.valueOf(e.getMessage()), afterUnknownOutcome());
        } catch (UnavailableException e) {
            throw new CommandFailed(
                    ExitCode.UNAVAILABLE,
                    String.valueOf(e.getMessage()),
                    "Nothing was done. Start the server with 'tally server', or name another with --server or TALLY_SERVER.");
        }
    }

    /** Prints the server's last answer: its JSON unchanged, or this text for people. */
    public final ExitCode answer(String text) {
        return answer(text, said.body());
    }

    /** As {@link #answer(String)}, with a line for each of these. */
    public final <T> ExitCode answer(List<T> listed, Function<T, String> line) {
        return answer(listed.stream().map(line).collect(Collectors.joining("\n")));
    }

    /** Prints the server's last answer: its JSON unchanged, or as lines for people. */
    public final ExitCode answer() {
        return answer(said.body());
    }

    /** Like {@link #answer()}, with this text for one of the fields. */
    public final ExitCode answerWith(String field, String words) {
        Map<String, Json> members = new LinkedHashMap<>(said.body().members());
        members.replace(field, Json.of(words));
        return answer(lines(members));
    }

    public final ExitCode answer(Json.ObjectValue object) {
        return answer(lines(object.members()), object);
    }

    public final ExitCode answer(String text, Json.ObjectValue object) {
        return answer(text, new LinkedHashMap<>(object.members()));
    }

    /** Whether the server's last answer was that it created something. */
    public final boolean isNew() {
        return said.status() == CREATED;
    }

    /** The objects of a list in the server's last answer, in their order. */
    public final List<Json.ObjectValue> said(String list) {
        return said.body().members().get(list) instanceof Json.ArrayValue array
                ? array.elements().stream().map(Json.ObjectValue.class::cast).toList()
                : List.of();
    }

    public static String lines(Map<String, Json> members) {
        int width = members.keySet().stream().mapToInt(String::length).max().orElse(0);
        return members.entrySet().stream()
                .map(member -> ("%-" + (width + 2) + "s%s").formatted(member.getKey(), words(member.getValue())))
                .collect(Collectors.joining("\n"));
    }

    public static String words(@Nullable Json value) {
        return switch (value) {
            case null -> "";
            case Json.StringValue text -> text.value();
            case Json other -> other.canonical();
        };
    }

    /** For a column of a table. */
    public static String word(@Nullable String word) {
        return word == null ? "" : word;
    }

    public static Priority priority(String word) {
        try {
            return Priority.parse(word);
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Pass one of these.");
        }
    }

    public static Json json(String text) {
        try {
            return Json.parse(text);
        } catch (JsonRefused e) {
            throw new CommandFailed(ExitCode.USAGE, "invalid JSON: " + e.getMessage(), "Quote it for your shell.");
        }
    }

    /** Whether the command line says which server to use, or as whom. */
    public final boolean namesServer() {
        return server != null || tokenFile != null;
    }

    /** The given key, or a new one, printed before the request is sent so that a lost answer can be repeated with it. */
    public final IdempotencyKey key(@Nullable String given) {
        if (given == null) {
            IdempotencyKey minted = IdempotencyKey.mint("cli", 1, new SecureRandom());
            progress("key " + minted.value());
            return minted;
        }
        try {
            return new IdempotencyKey(given);
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Choose another key.");
        }
    }

    private TallyClient client() {
        String authority = environment().get("TALLY_CA");
        if (authority == null) {
            return new TallyClient(address(), token(), PATIENCE);
        }
        try {
            return new TallyClient(address(), token(), PATIENCE, Trust.in(Path.of(authority)));
        } catch (IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.USAGE, String.valueOf(e.getMessage()), "Set TALLY_CA to a PEM file with certificates.");
        }
    }

    private URI address() {
        return address(server == null ? environment().getOrDefault("TALLY_SERVER", DEFAULT_SERVER) : server);
    }

    /** The address of a server, as a user writes it. */
    public static URI address(String named) {
        try {
            URI address = new URI(named);
            if (address.getHost() != null && List.of("http", "https").contains(address.getScheme())) {
                return address;
            }
        } catch (URISyntaxException e) {
            // Fall through to the error for every invalid address.
        }
        throw new CommandFailed(ExitCode.USAGE, "'" + named + "' is not a server address", "Pass http://HOST:PORT.");
    }

    private String afterRefusal(RefusedException refused) {
        return "The server refused; nothing was done."
                + switch (refused.status()) {
                    case UNAUTHENTICATED ->
                        " The token was that of " + tokenPlace()
                                + ". An admin issues another with 'tally member token NAME'; the server keeps the token of"
                                + " its first admin in admin.token, in its --data directory.";
                    case FORBIDDEN ->
                        " The token was that of " + tokenPlace()
                                + ". Use a token of a member with the role, or let an admin run"
                                + " 'tally member put NAME --role ROLE'.";
                    default -> "";
                };
    }

    private String tokenPlace() {
        return tokenFile == null && environment().containsKey("TALLY_TOKEN")
                ? "TALLY_TOKEN"
                : tokenPath().toString();
    }

    private Path tokenPath() {
        return tokenFile == null ? DATA.resolve("admin.token") : tokenFile;
    }

    private String token() {
        String token = environment().get("TALLY_TOKEN");
        if (tokenFile == null && token != null) {
            return oneWord(token.strip(), "TALLY_TOKEN");
        }
        Path file = tokenPath();
        try {
            return oneWord(Files.readString(file).strip(), file.toString());
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "there is no token in " + file,
                    "Name the file with --token-file, or set TALLY_TOKEN.");
        }
    }

    private static String oneWord(String token, String place) {
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new CommandFailed(ExitCode.USAGE, "there is no token in " + place, "A token is one word.");
        }
        return token;
    }

    public static ExitCode exitCode(RefusedException refused) {
        return switch (refused.status()) {
            case 404 -> ExitCode.NOT_FOUND;
            case 409, 412 -> ExitCode.CONFLICT;
            default -> ExitCode.USAGE;
        };
    }
}
