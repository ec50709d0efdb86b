package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.MemberApi.MemberView;
import dev.tallystick.core.api.MemberApi.TokenView;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The members of a mesh, their roles and tokens. */
@Command(
        name = "member",
        description = "List, add and remove the members of your mesh, and issue their tokens.",
        subcommands = {
            MemberCommand.Ls.class,
            MemberCommand.Put.class,
            MemberCommand.Remove.class,
            MemberCommand.Token.class,
            MemberCommand.ListTokens.class,
            MemberCommand.Revoke.class
        },
        footer = {
            "  tally member put shop --role member",
            "  tally member token shop --valid 86400",
            "  tally member tokens shop",
            "  tally member ls",
            "  tally member revoke 1f0c9a54e1b20d37",
            "  tally member remove shop",
        })
final class MemberCommand extends CommandGroup {

    /** A command about one member. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the member.")
        private String name;

        final String name() {
            return name;
        }
    }

    @Command(name = "ls", description = "List the members of your mesh.")
    static final class Ls extends ServerConnection {

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.members().list(), Ls::line);
        }

        private static String line(MemberView member) {
            return member.name() + "  "
                    + member.roles().stream().sorted().map(Role::word).collect(Collectors.joining(", "));
        }
    }

    @Command(name = "put", description = "Add a member, or change its roles.")
    static final class Put extends OfOne {

        @Option(
                names = "--role",
                paramLabel = "WORD",
                required = true,
                description = "admin, member, worker, observer or partner; repeatable.")
        private List<String> roles;

        @Override
        public ExitCode run(TallyClient client) {
            client.members().put(name(), roles.stream().map(Put::role).toArray(Role[]::new));
            return answer("member " + name() + (isNew() ? " is added" : " has these roles now"));
        }

        private static Role role(String word) {
            try {
                return Role.parse(word);
            } catch (IllegalArgumentException e) {
                throw new CommandFailed(
                        ExitCode.USAGE,
                        "'" + word + "' is not a role",
                        "Pass admin, member, worker, observer or partner.");
            }
        }
    }

    @Command(name = "remove", description = "Remove a member and revoke all its tokens.")
    static final class Remove extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.members().remove(name());
            return answer("member " + name() + " is removed");
        }
    }

    @Command(name = "token", description = "Issue a token for a member. It is shown only once.")
    static final class Token extends OfOne {

        @Option(
                names = "--valid",
                paramLabel = "SECONDS",
                description = "How long the token is valid (default: until revoked).")
        private @Nullable Integer seconds;

        @Override
        public ExitCode run(TallyClient client) {
            Duration validity = seconds == null ? null : Duration.ofSeconds(seconds);
            return answer(client.tokens().issue(name(), validity).token());
        }

        @Override
        public String afterUnknownOutcome() {
            return "A token may have been issued and lost: 'tally member tokens " + name()
                    + "' lists it, and 'tally member revoke ID' revokes it. Then issue another.";
        }
    }

    @Command(name = "tokens", description = "List a member's tokens, without their secrets.")
    static final class ListTokens extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.tokens().list(name()), ListTokens::line);
        }

        private static String line(TokenView token) {
            String end = token.revokedAt() != null
                    ? "revoked " + token.revokedAt()
                    : token.expiresAt() != null ? "valid until " + token.expiresAt() : "valid until revoked";
            return token.id() + "  issued " + token.createdAt() + "  " + end;
        }
    }

    @Command(name = "revoke", description = "Revoke a token by its ID: the part between 'tally_' and the next '_'.")
    static final class Revoke extends ServerConnection {

        @Parameters(index = "0", paramLabel = "ID", description = "The ID of the token.")
        private String id;

        @Override
        public ExitCode run(TallyClient client) {
            client.tokens().revoke(id);
            return answer("token " + id + " is revoked");
        }
    }
}
