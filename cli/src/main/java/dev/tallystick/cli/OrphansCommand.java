package dev.tallystick.cli;

import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
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
        Reply found = client.get("/v1/orphans");
        String lines = found.member("kinds") instanceof Json.ArrayValue kinds
                ? kinds.elements().stream().map(OrphansCommand::line).collect(Collectors.joining("\n"))
                : "";
        answer(found, lines.isEmpty() ? "everything is together" : lines);
        return lines.isEmpty() ? ExitCode.OK : ExitCode.CONFLICT;
    }

    private static String line(Json kind) {
        return kind instanceof Json.ObjectValue found
                ? words(found.members().get("count")) + " "
                        + words(found.members().get("kind")) + ", such as "
                        + words(found.members().get("examples"))
                : "";
    }
}
