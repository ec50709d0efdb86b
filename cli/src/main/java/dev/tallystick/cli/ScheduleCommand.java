package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.Schedules;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.ScheduleApi.ScheduleState;
import dev.tallystick.core.api.ScheduleApi.Triggered;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Manages a server's schedules. */
@Command(
        name = "schedule",
        description = "Start jobs on a schedule: put, list, pause, resume, trigger and delete schedules.",
        subcommands = {
            ScheduleCommand.Put.class,
            ScheduleCommand.Ls.class,
            ScheduleCommand.Show.class,
            ScheduleCommand.Pause.class,
            ScheduleCommand.Resume.class,
            ScheduleCommand.Trigger.class,
            ScheduleCommand.Delete.class
        },
        footer = {
            "  tally schedule put nightly sample.order --cron '0 3 * * *' --zone Europe/Berlin \\",
            "      --input '{\"order\":\"nightly\"}'",
            "  tally schedule ls",
            "  tally schedule show nightly",
            "  tally schedule pause nightly",
            "  tally schedule resume nightly",
            "  tally schedule trigger nightly --key extra:1",
            "  tally schedule delete nightly",
        })
final class ScheduleCommand extends CommandGroup {

    /** A command about one schedule. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the schedule.")
        private String name;

        final String name() {
            return name;
        }
    }

    @Command(name = "put", description = "Create or replace a schedule.")
    static final class Put extends OfOne {

        @Parameters(index = "1", paramLabel = "WORKFLOW", description = "The name of the workflow.")
        private String workflow;

        @Option(
                names = "--cron",
                paramLabel = "WHEN",
                required = true,
                description = "Minute, hour, day of month, month, day of week: '30 6 * * MON-FRI'.")
        private String cron;

        @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone (default: ${DEFAULT-VALUE}).")
        private String zone = "UTC";

        @Option(names = "--input", paramLabel = "JSON", description = "The input of each job (default: null).")
        private String input = "null";

        @Option(names = "--priority", paramLabel = "WORD", description = "now, next or low (default: next).")
        private String priority = Priority.DEFAULT.word();

        @Override
        public ExitCode run(TallyClient client) {
            ScheduleState kept = client.schedules()
                    .put(name(), new Schedules.NewSchedule(workflow, cron, zone, json(input), priority(priority)));
            return answer("schedule " + name() + " fires next at " + kept.nextAt());
        }
    }

    @Command(name = "ls", description = "List the schedules, by name.")
    static final class Ls extends ServerConnection {

        @Option(names = "--after", paramLabel = "NAME", description = "Only names after this one.")
        private @Nullable String after;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 50;

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.schedules().list(after, limit).schedules(), Ls::line);
        }

        private static String line(ScheduleState schedule) {
            return "%-20s %-20s %s  %s  %s"
                    .formatted(
                            schedule.name(),
                            schedule.cron(),
                            schedule.zone(),
                            schedule.paused() ? "paused" : schedule.nextAt(),
                            schedule.workflow());
        }
    }

    @Command(name = "show", description = "Show a schedule and its state.")
    static final class Show extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.schedules().find(name());
            return answer();
        }
    }

    @Command(name = "pause", description = "Pause a schedule until it is resumed.")
    static final class Pause extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.schedules().pause(name());
            return answer("schedule " + name() + " is paused");
        }
    }

    @Command(name = "resume", description = "Resume a schedule, from its next time on.")
    static final class Resume extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            ScheduleState resumed = client.schedules().resume(name());
            return answer("schedule " + name() + " fires next at " + resumed.nextAt());
        }
    }

    @Command(name = "trigger", description = "Start one of its jobs now, even while paused.")
    static final class Trigger extends OfOne {

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "Idempotency key of this request (default: a new one, which is printed).")
        private @Nullable String key;

        @Override
        public ExitCode run(TallyClient client) {
            Triggered started = client.schedules().trigger(name(), key(key));
            return answer("job " + started.jobId() + (started.duplicate() ? ", started before" : ", started"));
        }
    }

    @Command(name = "delete", description = "Delete a schedule. Jobs it has started keep running.")
    static final class Delete extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.schedules().delete(name());
            return answer("schedule " + name() + " is deleted");
        }
    }
}
