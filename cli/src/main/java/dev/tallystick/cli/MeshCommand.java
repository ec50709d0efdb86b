package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Meshes: isolated tenants of one server. */
@Command(
        name = "mesh",
        description = "List and create meshes. Only for admins of the mesh 'default'.",
        subcommands = {MeshCommand.Ls.class, MeshCommand.Create.class, MeshCommand.Token.class},
        footer = {"  tally mesh ls", "  tally mesh create partners", "  tally mesh token partners"})
final class MeshCommand extends CommandGroup {

    @Command(name = "ls", description = "List all meshes.")
    static final class Ls extends ServerConnection {

        @Override
        public ExitCode run(TallyClient client) {
            return answer(String.join("\n", client.meshes().list()));
        }
    }

    @Command(name = "create", description = "Create a mesh unless it exists.")
    static final class Create extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the mesh.")
        private String name;

        @Override
        public ExitCode run(TallyClient client) {
            client.meshes().create(name);
            return answer("mesh " + name + (isNew() ? " is created" : " already exists"));
        }
    }

    @Command(name = "token", description = "Issue a token for a mesh's admin. It is shown only once.")
    static final class Token extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the mesh.")
        private String name;

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.meshes().adminToken(name, null).token());
        }

        @Override
        public String afterUnknownOutcome() {
            return "A token may have been issued and lost. Issue another; with it, 'tally member tokens admin'"
                    + " lists the lost one, and 'tally member revoke ID' revokes it.";
        }
    }
}
