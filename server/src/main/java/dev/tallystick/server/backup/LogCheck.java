package dev.tallystick.server.backup;

import dev.tallystick.broker.member.MemberInfo;
import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.member.TokenInfo;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.LogNumber;
import dev.tallystick.engine.seal.LogRebuild;
import dev.tallystick.engine.seal.LogReplay;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.upkeep.Erase;
import dev.tallystick.engine.upkeep.JobErasure;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.CopiedLog;
import dev.tallystick.log.files.LogAlarm;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.Policy;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.witness.Cosigning;
import dev.tallystick.log.witness.Witnesses;
import dev.tallystick.server.routes.TracesOfJobs;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Brings a restored database together with its log, whichever of the two is older. May be repeated after a crash. */
public final class LogCheck {

    private static final String CHECKPOINT = "checkpoint";

    private final Database database;
    private final Path data;
    private final Policy witnesses;
    private final LogReplay replay;

    /**
     * @param data the directory of the server, with the log, the public key and the secrets
     * @param witnesses who may have cosigned the log
     */
    public LogCheck(Database database, Path data, Policy witnesses) {
        this.database = database;
        this.data = data;
        this.witnesses = witnesses;
        this.replay = new LogReplay(database);
    }

    /**
     * What was found and done.
     *
     * @param silent witnesses that did not say whether they know of more, with the reason
     * @param filesWritten files of the log that were written again from the database
     * @param report what the log knew that the database did not
     * @param erased how many jobs were erased again
     * @param ended how many members and tokens were ended again
     */
    public record Outcome(
            boolean sealing, List<String> silent, int filesWritten, LogReplay.Report report, int erased, int ended) {}

    /**
     * Compares both, replays or writes again what one of them lacks, and lets servers start.
     *
     * @throws BackupException if they cannot be brought together, with the reason and what to do
     */
    public Outcome run() throws IOException {
        boolean isSealing = replay.origin().isPresent();
        LogNumber number = replay.number();
        requireNewest(number);
        Path log = SealSettings.in(data).of(number).log();
        try {
            CopiedLog.cut(log);
            return isSealing && (replay.size() > 0 || sizeOf(log) > 0) ? compare(log, number) : settle(isSealing);
        } catch (IllegalArgumentException | LogAlarm e) {
            throw new BackupException(String.valueOf(e.getMessage()));
        }
    }

    private Outcome settle(boolean isSealing) {
        replay.settle();
        return new Outcome(isSealing, List.of(), 0, new LogReplay.Report(0, 0, 0, 0, 0, 0, 0), 0, 0);
    }

    private Outcome compare(Path log, LogNumber number) throws IOException {
        int written = replay.size() > sizeOf(log) ? new LogRebuild(database).rebuild(log) : 0;
        VerifierKey rootKey = VerifierKey.parse(
                Files.readString(data.resolve(number.file("root", ".pub"))).strip());
        requireClean(log, rootKey);
        List<String> silent = requireUncontradicted(log, rootKey);
        LogReplay.Report report =
                replay.replay(log, rootKey, SealSettings.in(data).secrets());
        int erased = erase(replay.unerased());
        int ended = end(replay.ended());
        replay.settle();
        return new Outcome(true, silent, written, report, erased, ended);
    }

    /** A log that was given up must not be continued. */
    private void requireNewest(LogNumber number) {
        Path later = SealSettings.in(data).of(number.next()).log();
        if (Files.exists(later.resolve(CHECKPOINT))) {
            throw new BackupException("the backup is from before " + later
                    + " succeeded its log: restore a newer backup, one that knows of that log");
        }
    }

    /** 0 if there is no log. */
    private static long sizeOf(Path log) throws IOException {
        Path checkpoint = log.resolve(CHECKPOINT);
        return Files.exists(checkpoint)
                ? Checkpoint.parse(
                                SignedNote.parse(Files.readAllBytes(checkpoint)).text())
                        .size()
                : 0;
    }

    private static void requireClean(Path log, VerifierKey rootKey) throws IOException {
        if (sizeOf(log) > 0) {
            LogAudit.Report audit = LogAudit.audit(log, rootKey, new MemberAudit());
            if (!audit.isClean()) {
                throw new BackupException(
                        "the log is damaged: " + audit.findings().getFirst());
            }
        }
    }

    /**
     * Asks the witnesses whether they have cosigned more than this copy of the log has. A log that continued from an older
     * state would contradict itself.
     *
     * @return the witnesses that did not say, each with the reason
     */
    private List<String> requireUncontradicted(Path log, VerifierKey rootKey) throws IOException {
        List<String> silent = new ArrayList<>();
        if (sizeOf(log) == 0 || witnesses.witnesses().isEmpty()) {
            return silent;
        }
        SignedNote note = SignedNote.parse(Files.readAllBytes(log.resolve(CHECKPOINT)));
        Anchor own = Anchor.of(Checkpoint.parse(note.text()));
        try (LogDirectory directory = LogDirectory.open(log, rootKey, own, null, CrashPoints.NONE);
                Witnesses asked = new Witnesses(witnesses, Witnesses.PATIENCE)) {
            Witnesses.Round round = asked.ask(directory.snapshot(), note, quorum -> {});
            round.answers().forEach((name, answer) -> {
                switch (answer) {
                    case Cosigning.Contradicted contradicted ->
                        throw new BackupException("the witness '" + name + "' knows more of this log: "
                                + contradicted.why() + ". Bring back a newer copy of the log, and run this again");
                    case Cosigning.Cosigned cosigned -> {}
                    case Cosigning.Refused refused -> silent.add(name + ": " + refused.why());
                    case Cosigning.Unanswered unanswered -> silent.add(name + ": " + unanswered.why());
                }
            });
            return silent;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackupException("interrupted while the witnesses were asked: run this again");
        }
    }

    private int erase(List<LogReplay.Erased> jobs) {
        try (JobErasure erasure = new JobErasure(
                database, new SecureRandom(), List.of(new TracesOfJobs()), Duration.ofMinutes(1), CrashPoints.NONE)) {
            int erased = 0;
            for (LogReplay.Erased job : jobs) {
                if (erasure.erase(job.mesh(), job.job(), "restore") instanceof Erase.Erased) {
                    erased++;
                }
            }
            return erased;
        }
    }

    private int end(List<Hash> hashes) {
        Set<Hash> ended = new HashSet<>(hashes);
        Members members = new Members(database, CompletionWatch.NONE, Clock.systemUTC(), new SecureRandom());
        int number = 0;
        for (String mesh : ended.isEmpty() ? List.<String>of() : members.meshes()) {
            for (MemberInfo info : members.list(mesh)) {
                String name = info.member().name();
                if (ended.contains(LogEntry.OperatorAction.ended(
                        "member", mesh, info.member().id()))) {
                    number += members.remove(mesh, name, id -> Also.NOTHING) ? 1 : 0;
                    continue;
                }
                for (TokenInfo token : members.tokens(mesh, name)) {
                    if (ended.contains(LogEntry.OperatorAction.ended("token", mesh, token.id()))) {
                        number += members.revoke(mesh, token.id(), Also.NOTHING).isPresent() ? 1 : 0;
                    }
                }
            }
        }
        return number;
    }
}
