package dev.tallystick.cli;

import dev.tallystick.client.Orphans;
import dev.tallystick.client.TallyClient;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Looks whether what a server has accepted together is still together. */
@Command(
        name = "orphans",
        description = {
            "Look for rows of the server's database that lack another which belongs to them.",
            "There are none unless somebody has meddled with the tables, or a backup was restored in part."
        },
        sortOptions = false,
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = "  tally orphans")
final class OrphansCommand extends ServerConnection {

    @Override
    ExitCode run(TallyClient client) {
        String lines =
                client.orphans().kinds().stream().map(OrphansCommand::line).collect(Collectors.joining("\n"));
        answer(lines.isEmpty() ? "everything is together" : lines);
        return lines.isEmpty() ? ExitCode.OK : ExitCode.CONFLICT;
    }

    private static String line(Orphans.Kind found) {
        return found.count() + " " + found.kind() + ", such as " + String.join(", ", found.examples());
    }
}
