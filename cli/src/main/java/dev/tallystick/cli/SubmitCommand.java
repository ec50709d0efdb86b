package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.client.DaemonClient;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyException;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Submits a job to a server. */
@Command(
        name = "submit",
        description = {
            "Submit a job to a server. Submitting the same key again returns the same job.",
            "With a daemon the job is kept here and submitted as soon as possible."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tally submit sample.order --input '{\"order\":\"42\"}' --key order:42 --wait",
            "  tally submit sample.order --input '{\"order\":\"43\"}' --not-before 2030-01-01T00:00:00Z",
            "  tally submit sample.order --input '{\"order\":\"44\"}' --attribute customer=ann",
        })
final class SubmitCommand extends SubmissionCommand {

    private static final Duration TURN = Duration.ofSeconds(20);

    @Parameters(index = "0", paramLabel = "WORKFLOW", description = "The name of the workflow.")
    private String workflow;

    @Option(names = "--input", paramLabel = "JSON", description = "The workflow's input (default: null).")
    private String input = "null";

    @Option(
            names = "--version-number",
            paramLabel = "N",
            description = "The version of the workflow (default: the newest).")
    private @Nullable Integer version;

    @Option(names = "--priority", paramLabel = "WORD", description = "now, next or low (default: next).")
    private String priority = Priority.DEFAULT.word();

    @Option(
            names = "--not-before",
            paramLabel = "TIME",
            description = "The earliest start, such as 2030-01-31T12:00:00Z.")
    private @Nullable Instant notBefore;

    @Option(
            names = "--attribute",
            paramLabel = "NAME=VALUE",
            description = "An attribute to find the job by; repeatable.")
    private Map<String, String> attributes = new LinkedHashMap<>();

    @Option(names = "--wait", description = "Wait for the job to end and show its result.")
    private boolean wait;

    @Override
    DaemonClient.Handed hand(DaemonClient client, IdempotencyKey under) {
        return client.submit(job(), under);
    }

    @Override
    void requireNoServer() {
        if (wait) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "through the daemon a job may be submitted later, so --wait cannot wait for it",
                    "Leave out --wait, and run 'tally job result --key KEY --wait 30' afterwards.");
        }
    }

    @Override
    String idName() {
        return "job_id";
    }

    @Override
    String hint(IdempotencyKey under, String connection) {
        return "'tally job show --key " + under.value() + connection
                + "' finds the job once the server has accepted it.";
    }

    private TallyClient.NewJob job() {
        return new TallyClient.NewJob(workflow, json(input), priority(priority), version, notBefore, attributes);
    }

    @Override
    ExitCode submit(TallyClient client, IdempotencyKey under) {
        TallyClient.Submitted submitted = client.submit(job(), under);
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("job_id", Json.of(submitted.job().toString()));
        fields.put("workflow", Json.of(submitted.workflow()));
        fields.put("version", Json.of(submitted.version()));
        fields.put("fingerprint", Json.of(submitted.fingerprint()));
        fields.put("duplicate", Json.of(submitted.duplicate()));
        if (submitted.promise() != null) {
            fields.put("promise", submitted.promise());
        }
        String text = "job " + submitted.job() + (submitted.duplicate() ? ", submitted before" : ", submitted");
        if (!wait) {
            return answer(text, fields);
        }
        progress(text);
        try {
            return JobCommand.show(this, fields, end(client, submitted.job()));
        } catch (TallyException e) {
            answer(text, fields);
            throw new CommandFailed(
                    ExitCode.UNKNOWN_OUTCOME,
                    String.valueOf(e.getMessage()),
                    "The job was submitted; run 'tally job result " + submitted.job() + "'.");
        }
    }

    private static TallyClient.Result end(TallyClient client, UUID job) {
        TallyClient.Result result = client.result(job, TURN);
        while (result.isOpen()) {
            result = client.result(job, TURN);
        }
        return result;
    }
}
