package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.Json;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** A command that lists what a daemon has, page by page. */
abstract class LocalList extends LocalCommand {

    @Option(names = "--after", paramLabel = "POSITION", description = "Continue after this position.")
    private long after;

    @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
    private int limit = 100;

    /**
     * Asks for a page and prints it.
     *
     * @param query further parameters, each with its ampersand; empty for none
     * @param things the member of the answer that has them
     */
    final ExitCode list(String path, String query, String things, Function<Map<String, Json>, String> line) {
        Json.ObjectValue page = ask("GET", path + "?after=" + after + "&limit=" + limit + query, null);
        String lines = page.members().get(things) instanceof Json.ArrayValue all
                ? all.elements().stream()
                        .map(each -> line.apply(((Json.ObjectValue) each).members()))
                        .collect(Collectors.joining("\n"))
                : "";
        return answer(lines.isEmpty() ? "no " + things : lines, page);
    }
}
