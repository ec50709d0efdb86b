package dev.tallystick.cli;

import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import java.util.Map;
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

    static final Json NOTHING = new Json.ObjectValue(Map.of());

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
            Reply issued = client.post("/v1/meshes/" + TallyClient.encode(name) + "/admin-token", NOTHING);
            answer(issued, issued.text("token"));
            return ExitCode.OK;
        }
    }
}
