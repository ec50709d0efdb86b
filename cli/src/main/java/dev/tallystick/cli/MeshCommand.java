package dev.tallystick.cli;

import dev.tallystick.client.TallyClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Meshes: isolated tenants of one server. */
@Command(
        name = "mesh",
        description = "List and create the meshes of a server. For admins of the mesh 'default'.",
        subcommands = {MeshCommand.Ls.class, MeshCommand.Create.class, MeshCommand.Token.class},
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {"  tally mesh ls", "  tally mesh create partners", "  tally mesh token partners"})
final class MeshCommand extends TallyCommand {

    @Override
    ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "what about meshes?", "Try 'tally mesh --help'.");
    }

    @Command(name = "ls", description = "List all meshes.")
    static final class Ls extends ServerConnection {

        @Override
        ExitCode run(TallyClient client) {
            answer(String.join("\n", client.meshes().list()));
            return ExitCode.OK;
        }
    }

    @Command(name = "create", description = "Create a mesh; one that is there stays as it is.")
    static final class Create extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the mesh.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String name;

        @Override
        ExitCode run(TallyClient client) {
            client.meshes().create(name);
            answer("mesh " + name + (isNew() ? " is created" : " was there before"));
            return ExitCode.OK;
        }
    }

    @Command(name = "token", description = "Issue a token for the admin of a mesh. It is shown once.")
    static final class Token extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the mesh.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String name;

        @Override
        ExitCode run(TallyClient client) {
            answer(client.meshes().adminToken(name, null).secret());
            return ExitCode.OK;
        }

        @Override
        String afterUnknownOutcome() {
            return "There may be a token that nobody has seen. Issue another one; with that, 'tally member tokens admin'"
                    + " shows it, and 'tally member revoke ID' ends it.";
        }
    }
}
