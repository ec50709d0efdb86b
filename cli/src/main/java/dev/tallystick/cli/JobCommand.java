package dev.tallystick.cli;

import dev.tallystick.client.Jobs;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks after the jobs of a server. */
@Command(
        name = "job",
        description = "List, follow, signal and cancel the jobs of a server, and do closed ones again.",
        subcommands = {
            JobCommand.Ls.class,
            JobCommand.Show.class,
            JobCommand.Why.class,
            JobCommand.Result.class,
            JobCommand.Signal.class,
            JobCommand.Cancel.class,
            JobCommand.Rerun.class,
            JobCommand.Fork.class,
            JobCommand.Activities.class,
            JobCommand.Events.class
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally job ls --status open",
            "  tally job ls --attribute customer=ann",
            "  tally job show --key order:42",
            "  tally job why --key order:42",
            "  tally job activities --key order:42",
            "  tally job result 01890a5d-ac96-774b-bcce-b302099a8057 --wait 30",
            "  tally job signal 01890a5d-ac96-774b-bcce-b302099a8057 approved --payload '{\"by\":\"ann\"}'",
            "  tally job events 01890a5d-ac96-774b-bcce-b302099a8057 --follow",
            "  tally job cancel 01890a5d-ac96-774b-bcce-b302099a8057",
            "  tally job rerun 01890a5d-ac96-774b-bcce-b302099a8057 --key again:41",
            "  tally job fork 01890a5d-ac96-774b-bcce-b302099a8057 --from charge --key again:42",
        })
final class JobCommand extends TallyCommand {

    @Override
    ExitCode run() {
        throw new CommandFailed(ExitCode.USAGE, "what about jobs?", "Try 'tally job --help'.");
    }

    /** Prints how a job ended; a job that did not complete is a conflict with what was wanted. */
    static ExitCode show(TallyCommand command, SequencedMap<String, Json> fields, TallyClient.Result result) {
        fields.put("status", Json.of(result.status()));
        if (result.output() != null) {
            fields.put("output", result.output());
        }
        if (result.error() != null) {
            fields.put("error", Json.of(result.error()));
        }
        String text = switch (result.status()) {
            case "completed" -> ServerConnection.words(result.output());
            case "open" -> "open";
            default -> result.status() + ": " + result.error();
        };
        command.answer(text, fields);
        if (result.isOpen()) {
            return ExitCode.UNKNOWN_OUTCOME;
        }
        return result.status().equals("completed") ? ExitCode.OK : ExitCode.CONFLICT;
    }

    /** What speaks of one job. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", arity = "0..1", paramLabel = "JOB", description = "The id of the job.")
        private @Nullable String job;

        @Option(names = "--key", paramLabel = "KEY", description = "The key that you submitted it under, instead.")
        private @Nullable String key;

        abstract ExitCode run(TallyClient client, UUID id) throws Exception;

        @Override
        final ExitCode run(TallyClient client) throws Exception {
            return run(client, id(client));
        }

        private UUID id(TallyClient client) {
            if ((job == null) == (key == null)) {
                throw new CommandFailed(ExitCode.USAGE, "which job?", "Name its id, or its --key.");
            }
            if (job != null) {
                try {
                    return UUID.fromString(job);
                } catch (IllegalArgumentException e) {
                    throw new CommandFailed(ExitCode.NOT_FOUND, "'" + job + "' is no job's id", "See 'tally job ls'.");
                }
            }
            return client.jobs().findByKey(key(key)).id();
        }
    }

    @Command(name = "ls", description = "List jobs, the newest first.", sortOptions = false)
    static final class Ls extends ServerConnection {

        @Option(names = "--workflow", paramLabel = "NAME", description = "Only jobs of this workflow.")
        private @Nullable String workflow;

        @Option(
                names = "--status",
                paramLabel = "WORD",
                description = "open, completed, failed, cancelled or timed_out.")
        private @Nullable String status;

        @Option(
                names = "--attribute",
                paramLabel = "NAME=VALUE",
                description = "Only jobs that have this; may be repeated.")
        private Map<String, String> attributes = new LinkedHashMap<>();

        @Option(names = "--before", paramLabel = "JOB", description = "Only jobs made before this one.")
        private @Nullable UUID before;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 20;

        @Override
        ExitCode run(TallyClient client) {
            Jobs.Filter wanted = new Jobs.Filter(workflow, status, null, null, attributes);
            answer(client.jobs().list(wanted, before, limit).jobs().stream()
                    .map(Ls::line)
                    .collect(Collectors.joining("\n")));
            return ExitCode.OK;
        }

        private static String line(Jobs.Job job) {
            String line = "%s  %-10s %s  %s".formatted(job.id(), job.status(), job.createdAt(), job.workflow());
            return job.key() == null ? line : line + "  " + job.key();
        }
    }

    @Command(name = "show", description = "Show a job, with the last error in it.", sortOptions = false)
    static final class Show extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            Jobs.LastError last = client.jobs().find(id).lastError();
            answerWith("last_error", last == null ? "" : words(last));
            return ExitCode.OK;
        }

        private static String words(Jobs.LastError last) {
            String place = last.path().isEmpty() ? "" : " at " + last.path();
            String what = last.stackTrace() == null ? last.error() : last.stackTrace();
            return last.activity() + place + " failed: " + what;
        }
    }

    @Command(name = "why", description = "Say what a job waits for, and what would move it.", sortOptions = false)
    static final class Why extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            Jobs.Why why = client.jobs().why(id);
            StringBuilder text = new StringBuilder(why.state());
            for (Jobs.Why.Wait wait : why.waits()) {
                text.append("\n  ").append(wait.what()).append(", since ").append(wait.since());
                text.append(": ").append(wait.mover());
            }
            answer(text.toString());
            return ExitCode.OK;
        }
    }

    @Command(name = "result", description = "Show what a job returned.", sortOptions = false)
    static final class Result extends OfOne {

        @Option(names = "--wait", paramLabel = "SECONDS", description = "Wait so long for its end, at most 60.")
        private int seconds;

        @Override
        ExitCode run(TallyClient client, UUID id) {
            TallyClient.Result result = client.result(id, Duration.ofSeconds(seconds));
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("job_id", Json.of(id.toString()));
            return show(this, fields, result);
        }
    }

    @Command(
            name = "activities",
            description = "Show the activities of a job, with their ledgers.",
            sortOptions = false)
    static final class Activities extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            answer(client.jobs().activities(id).stream().map(Activities::line).collect(Collectors.joining("\n")));
            return ExitCode.OK;
        }

        private static String line(Jobs.Activity each) {
            String why = each.error() == null
                    ? ""
                    : ": " + each.error().lines().findFirst().orElse("");
            return "%s  %-8s %-10s %s%s".formatted(each.ledger(), each.path(), each.kind(), each.name(), why);
        }
    }

    @Command(
            name = "events",
            description = {
                "Show what happened to a job, in the order of positions.",
                "Whoever goes on after the last position that it saw misses nothing."
            },
            sortOptions = false)
    static final class Events extends OfOne {

        private static final int PAGE = 500;
        private static final Duration TURN = Duration.ofSeconds(20);

        @Option(names = "--after", paramLabel = "N", description = "Only what comes after this position.")
        private long after;

        @Option(names = "--follow", description = "Go on until the job closes; with --json, one line for each event.")
        private boolean follow;

        @Override
        ExitCode run(TallyClient client, UUID id) {
            return follow ? follow(client, id) : all(client, id);
        }

        private ExitCode all(TallyClient client, UUID id) {
            List<String> lines = new ArrayList<>();
            List<Json> events = new ArrayList<>();
            long position = after;
            Jobs.EventPage page;
            do {
                page = client.jobs().events(id, position, PAGE, Duration.ZERO);
                page.events().forEach(event -> lines.add(line(event)));
                events.addAll(said("events"));
                position = page.next();
            } while (page.events().size() == PAGE);
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("job_id", Json.of(id.toString()));
            fields.put("events", new Json.ArrayValue(events));
            fields.put("next", Json.of(position));
            answer(String.join("\n", lines), fields);
            return ExitCode.OK;
        }

        private ExitCode follow(TallyClient client, UUID id) {
            long position = after;
            while (true) {
                Jobs.EventPage page = client.jobs().events(id, position, PAGE, TURN);
                Iterator<Json.ObjectValue> objects = said("events").iterator();
                for (Jobs.Event event : page.events()) {
                    answer(line(event), objects.next());
                    if (event.event().equals("closed")) {
                        return ExitCode.OK;
                    }
                }
                // Whoever begins after the last event of a job would wait for ever.
                if (page.next() == position && !client.jobs().find(id).isOpen()) {
                    return ExitCode.OK;
                }
                position = page.next();
            }
        }

        private static String line(Jobs.Event event) {
            String about = event.event().equals("closed") ? event.outcome() : event.name();
            String why = event.error() == null
                    ? ""
                    : ": " + event.error().lines().findFirst().orElse("");
            return "%6d  %s  %-9s %-8s %s"
                    .formatted(event.position(), event.at(), event.event(), word(event.path()), word(about) + why)
                    .stripTrailing();
        }
    }

    @Command(name = "signal", description = "Send a job a signal.", sortOptions = false)
    static final class Signal extends ServerConnection {

        @Parameters(index = "0", paramLabel = "JOB", description = "The id of the job.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private UUID job;

        @Parameters(index = "1", paramLabel = "SIGNAL", description = "The name of the signal.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String signal;

        @Option(names = "--payload", paramLabel = "JSON", description = "What it carries (default: null).")
        private String payload = "null";

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "Tells it from others (default: a new one, which is shown).")
        private @Nullable String key;

        @Override
        ExitCode run(TallyClient client) {
            TallyClient.Signalled sent = client.signal(job, signal, json(payload), key(key));
            answer("signal " + signal + (sent.duplicate() ? " was sent before" : " is with the job"));
            return ExitCode.OK;
        }
    }

    @Command(name = "cancel", description = "Ask for the end of a job and of its children.", sortOptions = false)
    static final class Cancel extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            client.cancel(id);
            answer("asked for the end of job " + id);
            return ExitCode.OK;
        }
    }

    /** What does a closed job again, as a new one. */
    abstract static class Again extends ServerConnection {

        @Parameters(index = "0", paramLabel = "JOB", description = "The id of the closed job.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private UUID job;

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "The key of this request: the same again makes nothing new (default: a new one, shown).")
        private @Nullable String key;

        abstract TallyClient.JobAgain ask(TallyClient client, UUID id, IdempotencyKey request);

        @Override
        final ExitCode run(TallyClient client) {
            TallyClient.JobAgain begun = ask(client, job, key(key));
            answer("job " + begun.job() + (begun.duplicate() ? ", begun before" : ", begun"));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "rerun",
            description = "Do a closed job again from its beginning, in the newest version.",
            sortOptions = false)
    static final class Rerun extends Again {

        @Override
        TallyClient.JobAgain ask(TallyClient client, UUID id, IdempotencyKey request) {
            return client.rerun(id, request);
        }
    }

    @Command(
            name = "fork",
            description = {
                "Do a closed job again from one of its steps on.",
                "What came before is taken as recorded; foreign systems are asked under the same keys."
            },
            sortOptions = false)
    static final class Fork extends Again {

        @Option(
                names = "--from",
                paramLabel = "STEP",
                required = true,
                description = "The name of the step, or its place if there are several of that name.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
        private String step;

        @Override
        TallyClient.JobAgain ask(TallyClient client, UUID id, IdempotencyKey request) {
            return client.fork(id, step, request);
        }
    }
}
