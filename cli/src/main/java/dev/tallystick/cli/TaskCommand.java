package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Tasks;
import dev.tallystick.core.api.TaskApi.Task;
import dev.tallystick.core.api.TaskApi.TaskDone;
import dev.tallystick.core.api.TaskApi.TaskList;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tasks: questions that jobs ask people. */
@Command(
        name = "task",
        description = "List, claim, escalate and answer the tasks that jobs give to people.",
        subcommands = {
            TaskCommand.Ls.class,
            TaskCommand.Show.class,
            TaskCommand.Claim.class,
            TaskCommand.Release.class,
            TaskCommand.Escalate.class,
            TaskCommand.Resolve.class
        },
        footer = {
            "  tally task ls --group finance",
            "  tally task show 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally task claim 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally task release 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally task escalate 01890a5d-ac96-774b-bcce-b302099a8057 --to chiefs",
            "  tally task resolve 01890a5d-ac96-774b-bcce-b302099a8057 --answer '{\"approved\":true}' --key form:17",
        })
final class TaskCommand extends CommandGroup {

    /** A command about one task. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "TASK", description = "The ID of the task.")
        private UUID task;

        final UUID task() {
            return task;
        }
    }

    /** A command by which a person changes a task. */
    abstract static class ByPerson extends OfOne {

        @Option(
                names = "--person",
                paramLabel = "NAME",
                description = "The person acting (default: your token's member; only admins may name others).")
        private @Nullable String person;

        final @Nullable String person() {
            return person;
        }
    }

    @Command(name = "ls", description = "List open tasks, oldest first.")
    static final class Ls extends ServerConnection {

        @Option(names = "--group", paramLabel = "NAME", description = "Only tasks of this group.")
        private @Nullable String group;

        @Option(names = "--person", paramLabel = "NAME", description = "Only tasks that this person holds.")
        private @Nullable String person;

        @Option(names = "--after", paramLabel = "TASK", description = "Only tasks after this one.")
        private @Nullable UUID after;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 50;

        @Override
        public ExitCode run(TallyClient client) {
            return answer(list(client.tasks()).tasks(), Ls::line);
        }

        private static String line(Task task) {
            return "%s  %s  %-12s %-12s %s"
                    .formatted(task.taskId(), task.askedAt(), word(task.group()), word(task.assignee()), task.name());
        }

        private TaskList list(Tasks tasks) {
            if (group != null && person != null) {
                throw new CommandFailed(ExitCode.USAGE, "missing --group or --person", "Pass one of them, not both.");
            }
            return group != null
                    ? tasks.ofGroup(group, after, limit)
                    : person != null ? tasks.heldBy(person, after, limit) : tasks.list(after, limit);
        }
    }

    @Command(name = "show", description = "Show a task, open or closed.")
    static final class Show extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.tasks().find(task());
            return answer();
        }
    }

    @Command(name = "claim", description = "Claim a task, so that others leave it alone.")
    static final class Claim extends ByPerson {

        @Override
        public ExitCode run(TallyClient client) {
            client.tasks().claim(task(), person());
            return answer("task " + task() + " is claimed");
        }
    }

    @Command(name = "release", description = "Release a task, so that others can claim it.")
    static final class Release extends ByPerson {

        @Override
        public ExitCode run(TallyClient client) {
            client.tasks().release(task(), person());
            return answer("task " + task() + " is released");
        }
    }

    @Command(name = "escalate", description = "Assign a task to another group, even if someone holds it.")
    static final class Escalate extends OfOne {

        @Option(names = "--to", paramLabel = "GROUP", required = true, description = "The group to assign the task to.")
        private String group;

        @Override
        public ExitCode run(TallyClient client) {
            client.tasks().escalate(task(), group);
            return answer("task " + task() + " is with " + group);
        }
    }

    @Command(name = "resolve", description = "Answer a task; its job continues with the answer.")
    static final class Resolve extends ByPerson {

        @Option(names = "--answer", paramLabel = "JSON", description = "The answer (default: null).")
        private String answer = "null";

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "Idempotency key of this answer (default: a new one, which is printed).")
        private @Nullable String key;

        @Override
        public ExitCode run(TallyClient client) {
            TaskDone resolved = client.tasks().resolve(task(), json(answer), person(), key(key));
            return answer("task " + task() + (resolved.duplicate() ? " already has this answer" : " is answered"));
        }
    }
}
