package dev.tallystick.cli.seal;

import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.LogReplay;
import dev.tallystick.log.note.Policy;
import dev.tallystick.server.OfflineDatabase;
import dev.tallystick.server.ServerSchema;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.backup.LogCheck;
import dev.tallystick.server.backup.Restore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Restores a server's database. */
@Command(
        name = "restore",
        description = {
            "Fill an empty database from a backup, and bring it together with the log in DIR/log, whichever is older.",
            "Put root.pub, log and seal into DIR first. Run it again if it was interrupted: it continues.",
            "No server starts on the database before it has ended."
        },
        footerHeading = "%nExamples:%n",
        footer = "  tally restore backup-1 --postgres 'jdbc:postgresql://db/tally2?user=tally'",
        sortOptions = false)
public final class RestoreCommand extends DatabaseCommand {

    @Parameters(paramLabel = "BACKUP", description = "The directory of the backup.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls us
    private Path backup;

    @Option(
            names = "--witnesses",
            paramLabel = "FILE",
            description = {
                "Ask these witnesses first whether they have cosigned more than the log in DIR has",
                "(C2SP tlog-policy; default: TALLY_SEAL_WITNESSES)."
            })
    private @Nullable Path witnesses;

    @Override
    ExitCode run(OfflineDatabase database) throws IOException {
        Restore restore = new Restore(database.database(), ServerSchema.ALL, CrashPoints.NONE);
        Restore.Restored restored = restore.from(backup);
        LogCheck.Outcome outcome = new LogCheck(database.database(), data(), policy()).run();
        answer(words(restored, outcome), fields(restored, outcome));
        return ExitCode.OK;
    }

    private Policy policy() {
        Path file = witnesses == null ? ServerSettings.of(data(), environment()).witnesses() : witnesses;
        return file == null ? Policy.unwitnessed() : VerifyCommand.policy(file);
    }

    private static String words(Restore.Restored restored, LogCheck.Outcome outcome) {
        List<String> lines = new ArrayList<>();
        lines.add("restored the database as of " + restored.madeAt() + ": " + restored.rows() + " rows");
        if (!outcome.sealing()) {
            lines.add("its jobs are not sealed: what was accepted after " + restored.madeAt() + " is not known");
            return String.join("\n", lines);
        }
        LogReplay.Report report = outcome.report();
        if (outcome.filesWritten() > 0) {
            lines.add("wrote " + outcome.filesWritten() + " files of the log again from the database");
        }
        lines.add("the database knew the log up to size " + report.before() + "; the log has size " + report.size());
        if (!report.isUpToDate()) {
            lines.add(report.lost()
                    + " keys were accepted and their jobs are lost: a submission answers outcome_unknown");
            lines.add(report.lostWithoutKey() + " jobs without a key were accepted and are lost");
            lines.add(report.closed() + " open jobs are closed, as the log says; their results are lost");
            lines.add(report.stopped() + " open jobs were closed in a way that is not known: cancel them");
            lines.add(report.acts() + " acts of operators are only known by their number: check members and roles");
        }
        lines.add(outcome.erased() + " jobs erased again, " + outcome.ended() + " members and tokens ended again");
        lines.add("open jobs continue as of " + restored.madeAt() + ": steps that they did later are done again");
        outcome.silent().forEach(each -> lines.add("no answer from the witness " + each));
        lines.add("not known: what was accepted between the newest entry of the log and the loss of the database");
        return String.join("\n", lines);
    }

    private static SequencedMap<String, Json> fields(Restore.Restored restored, LogCheck.Outcome outcome) {
        LogReplay.Report report = outcome.report();
        SequencedMap<String, Json> fields = new LinkedHashMap<>();
        fields.put("made_at", Json.of(restored.madeAt().toString()));
        fields.put("rows", Json.of(restored.rows()));
        fields.put("sealing", Json.of(outcome.sealing()));
        fields.put(
                "silent_witnesses",
                new Json.ArrayValue(
                        outcome.silent().stream().<Json>map(Json::of).toList()));
        fields.put("files_written", Json.of(outcome.filesWritten()));
        fields.put("size_before", Json.of(report.before()));
        fields.put("size", Json.of(report.size()));
        fields.put("lost", Json.of(report.lost()));
        fields.put("lost_without_key", Json.of(report.lostWithoutKey()));
        fields.put("closed", Json.of(report.closed()));
        fields.put("stopped", Json.of(report.stopped()));
        fields.put("acts", Json.of(report.acts()));
        fields.put("erased", Json.of(outcome.erased()));
        fields.put("ended", Json.of(outcome.ended()));
        return fields;
    }
}
