package dev.tallystick.cli;

import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Tasks;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What jobs ask people. */
@Command(
        name = "task",
        description = "Find what jobs ask people, take it, hand it on, and answer it.",
        subcommands = {
            TaskCommand.Ls.class,
            TaskCommand.Show.class,
            TaskCommand.Claim.class,
            TaskCommand.Release.class,
            TaskCommand.Escalate.class,
            TaskCommand.Resolve.class
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally task ls --group finance",
            "  tally task show 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally task claim 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally task release 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally task escalate 01890a5d-ac96-774b-bcce-b302099a8057 --to chiefs",
            "  tally task resolve 01890a5d-ac96-774b-bcce-b302099a8057 --answer '{\"approved\":true}' --key form:17",
        })
final class TaskCommand extends TallyCommand {

    @Override
    ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "what about tasks?", "Try 'tally task --help'.");
    }

    /** What speaks of one task. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "TASK", description = "The id of the task.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private UUID task;

        final UUID task() {
            return task;
        }
    }

    /** What somebody does to a task. */
    abstract static class ByPerson extends OfOne {

        @Option(
                names = "--person",
                paramLabel = "NAME",
                description = "Who does it (default: the member of your token; only an admin names others).")
        private @Nullable String person;

        final @Nullable String person() {
            return person;
        }
    }

    @Command(name = "ls", description = "List open tasks, the oldest first.", sortOptions = false)
    static final class Ls extends ServerConnection {

        @Option(names = "--group", paramLabel = "NAME", description = "Only what this group is asked.")
        private @Nullable String group;

        @Option(names = "--person", paramLabel = "NAME", description = "Only what this person has.")
        private @Nullable String person;

        @Option(names = "--after", paramLabel = "TASK", description = "Only those after this one.")
        private @Nullable UUID after;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 50;

        @Override
        ExitCode run(TallyClient client) {
            answer(list(client.tasks()).tasks().stream().map(Ls::line).collect(Collectors.joining("\n")));
            return ExitCode.OK;
        }

        private static String line(Tasks.Task task) {
            return "%s  %s  %-12s %-12s %s"
                    .formatted(task.id(), task.askedAt(), word(task.group()), word(task.assignee()), task.name());
        }

        private Tasks.Page list(Tasks tasks) {
            if (group != null && person != null) {
                throw new CommandFailed(ExitCode.USAGE, "whose tasks?", "Name a --group or a --person, not both.");
            }
            return group != null
                    ? tasks.ofGroup(group, after, limit)
                    : person != null ? tasks.heldBy(person, after, limit) : tasks.list(after, limit);
        }
    }

    @Command(name = "show", description = "Show a task, also one that is over.")
    static final class Show extends OfOne {

        @Override
        ExitCode run(TallyClient client) {
            client.tasks().find(task());
            answer();
            return ExitCode.OK;
        }
    }

    @Command(name = "claim", description = "Take a task: others leave it alone from now on.", sortOptions = false)
    static final class Claim extends ByPerson {

        @Override
        ExitCode run(TallyClient client) {
            client.tasks().claim(task(), person());
            answer("task " + task() + " is claimed");
            return ExitCode.OK;
        }
    }

    @Command(name = "release", description = "Give a task back, for others to claim.", sortOptions = false)
    static final class Release extends ByPerson {

        @Override
        ExitCode run(TallyClient client) {
            client.tasks().release(task(), person());
            answer("task " + task() + " is released");
            return ExitCode.OK;
        }
    }

    @Command(name = "escalate", description = "Hand a task to another group, whoever has it now.", sortOptions = false)
    static final class Escalate extends OfOne {

        @Option(names = "--to", paramLabel = "GROUP", required = true, description = "The group that has it next.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String group;

        @Override
        ExitCode run(TallyClient client) {
            client.tasks().escalate(task(), group);
            answer("task " + task() + " is with " + group);
            return ExitCode.OK;
        }
    }

    @Command(name = "resolve", description = "Answer a task: its job goes on with this.", sortOptions = false)
    static final class Resolve extends ByPerson {

        @Option(names = "--answer", paramLabel = "JSON", description = "The answer (default: null).")
        private String answer = "null";

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "Tells this answer from others (default: a new one, which is shown).")
        private @Nullable String key;

        @Override
        ExitCode run(TallyClient client) {
            Tasks.Done resolved = client.tasks().resolve(task(), json(answer), person(), key(key));
            answer("task " + task() + (resolved.duplicate() ? " was answered so before" : " is answered"));
            return ExitCode.OK;
        }
    }
}
