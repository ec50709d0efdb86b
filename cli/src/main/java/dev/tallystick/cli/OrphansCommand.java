package dev.tallystick.cli;

import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.api.SystemApi.Orphans;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Checks a server's database for orphaned rows. */
@Command(
        name = "orphans",
        description = {
            "Check the server's database for orphaned rows.",
            "They only appear if tables were edited by hand or a backup was restored in part."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = "  tally orphans")
final class OrphansCommand extends ServerConnection {

    @Override
    public ExitCode run(TallyClient client) {
        String lines =
                client.orphans().kinds().stream().map(OrphansCommand::line).collect(Collectors.joining("\n"));
        answer(lines.isEmpty() ? "no orphaned rows" : lines);
        return lines.isEmpty() ? ExitCode.OK : ExitCode.CONFLICT;
    }

    private static String line(Orphans.Kind found) {
        return found.count() + " " + found.kind() + ", such as " + String.join(", ", found.examples());
    }
}
