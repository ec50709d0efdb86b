package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.cli.command.TallyCommand;
import dev.tallystick.client.Jobs;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.JobApi.EventPage;
import dev.tallystick.core.api.JobApi.JobActivities;
import dev.tallystick.core.api.JobApi.JobView;
import dev.tallystick.core.api.JobApi.JobWhy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists and controls a server's jobs. */
@Command(
        name = "job",
        description = "List, follow, signal and cancel jobs; rerun, fork or erase closed jobs.",
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
            JobCommand.Events.class,
            JobCommand.Receipt.class,
            JobCommand.Erase.class
        },
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
            "  tally job rerun 01890a5d-ac96-774b-bcce-b302099a8057 --request-key again:41",
            "  tally job receipt --key order:42 --show outcome,output",
            "  tally job fork 01890a5d-ac96-774b-bcce-b302099a8057 --from charge --request-key again:42",
            "  tally job erase 01890a5d-ac96-774b-bcce-b302099a8057",
        })
final class JobCommand extends CommandGroup {

    /** Prints how a job ended. A job that did not complete is a conflict. */
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

    /** A command about one job. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", arity = "0..1", paramLabel = "JOB", description = "The ID of the job.")
        private @Nullable String job;

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "The key you submitted the job under, instead of JOB.")
        private @Nullable String key;

        abstract ExitCode run(TallyClient client, UUID id) throws Exception;

        @Override
        public final ExitCode run(TallyClient client) throws Exception {
            return run(client, id(client));
        }

        private UUID id(TallyClient client) {
            if ((job == null) == (key == null)) {
                throw new CommandFailed(ExitCode.USAGE, "missing job", "Pass the job's ID or its --key.");
            }
            if (job != null) {
                try {
                    return UUID.fromString(job);
                } catch (IllegalArgumentException e) {
                    throw new CommandFailed(ExitCode.NOT_FOUND, "'" + job + "' is not a job ID", "See 'tally job ls'.");
                }
            }
            return client.jobs().findByKey(key(key)).jobId();
        }
    }

    @Command(name = "ls", description = "List jobs, newest first.")
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
                description = "Only jobs with this attribute; repeatable.")
        private Map<String, String> attributes = new LinkedHashMap<>();

        @Option(names = "--before", paramLabel = "JOB", description = "Only jobs created before this one.")
        private @Nullable UUID before;

        @Option(names = "--limit", paramLabel = "N", description = "How many (default: ${DEFAULT-VALUE}).")
        private int limit = 20;

        @Override
        public ExitCode run(TallyClient client) {
            Jobs.Filter wanted = new Jobs.Filter(workflow, status, null, null, attributes);
            return answer(client.jobs().list(wanted, before, limit).jobs(), Ls::line);
        }

        private static String line(JobView job) {
            String line = "%s  %-10s %s  %s".formatted(job.jobId(), job.status(), job.createdAt(), job.workflow());
            return job.key() == null ? line : line + "  " + job.key();
        }
    }

    @Command(name = "show", description = "Show a job and its last error.")
    static final class Show extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            JobView.LastFailure last = client.jobs().find(id).lastError();
            return answerWith("last_error", last == null ? "" : words(last));
        }

        private static String words(JobView.LastFailure last) {
            String place = last.path().isEmpty() ? "" : " at " + last.path();
            String what = last.stackTrace() == null ? last.error() : last.stackTrace();
            return last.activity() + place + " failed: " + what;
        }
    }

    @Command(name = "why", description = "Show what a job is waiting for, and what would unblock it.")
    static final class Why extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            JobWhy why = client.jobs().why(id);
            StringBuilder text = new StringBuilder(why.state());
            for (JobWhy.Wait wait : why.waits()) {
                text.append("\n  ").append(wait.what()).append(", since ").append(wait.since());
                text.append(": ").append(wait.mover());
            }
            text.append(why.hasMore() ? "\n  and more" : "");
            return answer(text.toString());
        }
    }

    @Command(name = "result", description = "Show a job's result.")
    static final class Result extends OfOne {

        @Option(
                names = "--wait",
                paramLabel = "SECONDS",
                description = "How long to wait for the job to end (at most 60).")
        private int seconds;

        @Override
        ExitCode run(TallyClient client, UUID id) {
            TallyClient.Result result = client.result(id, Duration.ofSeconds(seconds));
            SequencedMap<String, Json> fields = new LinkedHashMap<>();
            fields.put("job_id", Json.of(id.toString()));
            return show(this, fields, result);
        }
    }

    @Command(name = "activities", description = "Show a job's activities and their ledgers.")
    static final class Activities extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            return answer(client.jobs().activities(id), Activities::line);
        }

        private static String line(JobActivities.Activity each) {
            String why = each.error() == null
                    ? ""
                    : ": " + each.error().lines().findFirst().orElse("");
            return "%s  %-8s %-10s %s%s".formatted(each.ledger(), each.path(), each.kind(), each.name(), why);
        }
    }

    @Command(
            name = "receipt",
            description = {
                "Show the proof of a job for people who have no access to the server: save it to a file,",
                "and check it with 'tally verify'."
            })
    static final class Receipt extends OfOne {

        @Option(
                names = "--show",
                paramLabel = "FIELD",
                split = ",",
                description = "Open only these fields of the records, such as outcome,output (default: all).")
        private List<String> shown = List.of();

        @Override
        ExitCode run(TallyClient client, UUID id) {
            return print(client.jobs().receipt(id, shown.toArray(String[]::new)).canonical());
        }
    }

    @Command(
            name = "erase",
            description = {
                "Delete everything personal of a closed job, for good. Its proofs stay valid.",
                "Needs a token of an admin."
            },
            sortOptions = false)
    static final class Erase extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            answer("erased at " + client.jobs().erase(id).erasedAt());
            return ExitCode.OK;
        }
    }

    @Command(
            name = "events",
            description = {
                "Show a job's events, ordered by position.",
                "To resume without missing events, pass the last position you saw to --after."
            })
    static final class Events extends OfOne {

        private static final int PAGE = 500;
        private static final Duration TURN = Duration.ofSeconds(20);

        @Option(names = "--after", paramLabel = "N", description = "Only events after this position.")
        private long after;

        @Option(
                names = "--follow",
                description = "Keep following until the job closes; with --json, one line per event.")
        private boolean follow;

        @Override
        ExitCode run(TallyClient client, UUID id) {
            return follow ? follow(client, id) : all(client, id);
        }

        private ExitCode all(TallyClient client, UUID id) {
            List<String> lines = new ArrayList<>();
            List<Json> events = new ArrayList<>();
            long position = after;
            EventPage page;
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
            return answer(String.join("\n", lines), fields);
        }

        private ExitCode follow(TallyClient client, UUID id) {
            long position = after;
            while (true) {
                EventPage page = client.jobs().events(id, position, PAGE, TURN);
                Iterator<Json.ObjectValue> objects = said("events").iterator();
                for (EventPage.Event event : page.events()) {
                    answer(line(event), objects.next());
                    if (event.event().equals("closed")) {
                        return ExitCode.OK;
                    }
                }
                // After a job's last event, following would never end.
                if (page.next() == position && !client.jobs().find(id).isOpen()) {
                    return ExitCode.OK;
                }
                position = page.next();
            }
        }

        private static String line(EventPage.Event event) {
            String about = event.event().equals("closed") ? event.outcome() : event.name();
            String why = event.error() == null
                    ? ""
                    : ": " + event.error().lines().findFirst().orElse("");
            return "%6d  %s  %-9s %-8s %s"
                    .formatted(event.position(), event.at(), event.event(), word(event.path()), word(about) + why)
                    .stripTrailing();
        }
    }

    @Command(name = "signal", description = "Send a job a signal.")
    static final class Signal extends ServerConnection {

        @Parameters(index = "0", paramLabel = "JOB", description = "The ID of the job.")
        private UUID job;

        @Parameters(index = "1", paramLabel = "SIGNAL", description = "The name of the signal.")
        private String signal;

        @Option(names = "--payload", paramLabel = "JSON", description = "The payload (default: null).")
        private String payload = "null";

        @Option(
                names = {"--request-key", "--key"},
                paramLabel = "KEY",
                description = "Idempotency key of this signal, not of the job (default: a new one, which is printed).")
        private @Nullable String key;

        @Override
        public ExitCode run(TallyClient client) {
            TallyClient.Signalled sent = client.signal(job, signal, json(payload), key(key));
            return answer("signal " + signal + (sent.duplicate() ? " was sent before" : " is sent"));
        }
    }

    @Command(name = "cancel", description = "Request cancellation of a job and its children.")
    static final class Cancel extends OfOne {

        @Override
        ExitCode run(TallyClient client, UUID id) {
            client.cancel(id);
            return answer("requested cancellation of job " + id);
        }
    }

    /** A command that repeats a closed job as a new job. */
    abstract static class Again extends ServerConnection {

        @Parameters(index = "0", paramLabel = "JOB", description = "The ID of the closed job.")
        private UUID job;

        @Option(
                names = {"--request-key", "--key"},
                paramLabel = "KEY",
                description = "Idempotency key of this request and its new job, not of the closed job"
                        + " (default: a new one, which is printed).")
        private @Nullable String key;

        abstract TallyClient.JobAgain ask(TallyClient client, UUID id, IdempotencyKey request);

        @Override
        public final ExitCode run(TallyClient client) {
            TallyClient.JobAgain begun = ask(client, job, key(key));
            return answer("job " + begun.job() + (begun.duplicate() ? ", started before" : ", started"));
        }
    }

    @Command(name = "rerun", description = "Run a closed job again from the start, in the newest version.")
    static final class Rerun extends Again {

        @Override
        TallyClient.JobAgain ask(TallyClient client, UUID id, IdempotencyKey request) {
            return client.rerun(id, request);
        }
    }

    @Command(
            name = "fork",
            description = {
                "Run a closed job again, starting at one of its steps.",
                "Earlier steps keep their recorded results; external systems get the same keys."
            })
    static final class Fork extends Again {

        @Option(
                names = "--from",
                paramLabel = "STEP",
                required = true,
                description = "The step's name, or its path if the name is not unique.")
        private String step;

        @Override
        TallyClient.JobAgain ask(TallyClient client, UUID id, IdempotencyKey request) {
            return client.fork(id, step, request);
        }
    }
}
