package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.api.WorkflowApi.WorkflowShown;
import dev.tallystick.core.api.WorkflowApi.WorkflowVersion;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.engine.graph.InvalidGraphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A server's workflows. */
@Command(
        name = "workflow",
        description = "List and show the workflows of a server, deploy graphs to it and remove them.",
        subcommands = {
            WorkflowCommand.Deploy.class,
            WorkflowCommand.Ls.class,
            WorkflowCommand.Show.class,
            WorkflowCommand.Remove.class
        },
        footer = {
            "  tally workflow deploy order.yaml",
            "  tally workflow ls",
            "  tally workflow show order --version-number 2",
            "  tally workflow remove order --version-number 1",
        })
final class WorkflowCommand extends CommandGroup {

    @Command(
            name = "deploy",
            description = {
                "Deploy a graph to all servers on the same database.",
                "A version never changes: deploying the same graph again is fine, a different one is refused."
            })
    static final class Deploy extends ServerConnection {

        @Parameters(index = "0", paramLabel = "FILE", description = "The graph, in YAML.")
        private Path file;

        @Override
        public ExitCode run(TallyClient client) {
            String yaml = text();
            Graph graph = graph(yaml);
            client.workflows().deploy(graph.name(), graph.version(), yaml);
            return answer(
                    graph.name() + " version " + graph.version() + (isNew() ? " is deployed" : " was deployed before"));
        }

        private String text() {
            try {
                return Files.readString(file);
            } catch (NoSuchFileException e) {
                throw new CommandFailed(ExitCode.USAGE, "there is no file " + file, "Pass a file with a graph.");
            } catch (IOException e) {
                throw new CommandFailed(ExitCode.USAGE, "cannot read " + file + ": " + e, "Pass a file with a graph.");
            }
        }

        /** Checked here as well, so that errors name the file. */
        private Graph graph(String yaml) {
            try {
                return GraphYaml.read(file.toString(), yaml);
            } catch (InvalidGraphException e) {
                throw new CommandFailed(ExitCode.USAGE, String.valueOf(e.getMessage()), "Nothing was deployed.");
            }
        }
    }

    @Command(name = "ls", description = "List the workflows that the server can start, and graphs that it cannot run.")
    static final class Ls extends ServerConnection {

        @Override
        public ExitCode run(TallyClient client) {
            return answer(
                    client.workflows().list(),
                    each -> "%-30s %-5d %s%s"
                            .formatted(
                                    each.workflow(),
                                    each.version(),
                                    each.kind(),
                                    each.disabled() == null ? "" : ", disabled: " + each.disabled()));
        }
    }

    @Command(name = "show", description = "Show a workflow; for a graph, its definition.")
    static final class Show extends ServerConnection {

        @Parameters(index = "0", paramLabel = "WORKFLOW", description = "The name of the workflow.")
        private String workflow;

        @Option(names = "--version-number", paramLabel = "N", description = "Which version (default: the newest).")
        private @Nullable Integer version;

        @Override
        public ExitCode run(TallyClient client) {
            WorkflowShown shown = client.workflows().find(workflow, version == null ? newest(client) : version);
            return shown.graph() == null ? answer() : answer(shown.graph().stripTrailing());
        }

        private int newest(TallyClient client) {
            return client.workflows().versions(workflow).stream()
                    .mapToInt(WorkflowVersion::version)
                    .max()
                    .orElseThrow(() -> new CommandFailed(
                            ExitCode.NOT_FOUND, "there is no workflow '" + workflow + "'", "See 'tally workflow ls'."));
        }
    }

    @Command(
            name = "remove",
            description = {
                "Start no more jobs of a deployed graph, on all servers on the same database.",
                "Open jobs run to their end; to end them now, see 'tally job cancel'.",
                "The version stays taken. To take this back, deploy the same graph again."
            })
    static final class Remove extends ServerConnection {

        @Parameters(index = "0", paramLabel = "WORKFLOW", description = "The name of the workflow.")
        private String workflow;

        @Option(names = "--version-number", paramLabel = "N", required = true, description = "Which version.")
        private int version;

        @Override
        public ExitCode run(TallyClient client) {
            client.workflows().remove(workflow, version);
            return answer(workflow + " version " + version + " is removed; its open jobs run to their end");
        }
    }
}
