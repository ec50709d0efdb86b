package dev.tallystick.log;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.BatchPlan;
import dev.tallystick.log.files.Commit;
import dev.tallystick.log.files.Intent;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A log for tests, with fixed keys and jobs that can be opened. Plays the database: it keeps the anchor. */
public final class Logs implements AutoCloseable {

    public static final String ORIGIN = "log.example/tally";
    public static final NoteSigner SIGNER = NoteSigner.of(
            ORIGIN, VerifierKey.Type.NOTE, Hash.sha256(new byte[] {1}).bytes());
    public static final NoteSigner NEXT_SIGNER = NoteSigner.of(
            ORIGIN, VerifierKey.Type.NOTE, Hash.sha256(new byte[] {2}).bytes());
    public static final NoteSigner WITNESS = NoteSigner.of(
            "witness.example/w1",
            VerifierKey.Type.COSIGNATURE,
            Hash.sha256(new byte[] {3}).bytes());
    public static final InstallationSecret INSTALLATION = InstallationSecret.of(new byte[32]);
    public static final MemberSecret MEMBER = INSTALLATION.of("mesh-1", "member-1", 1);
    public static final Instant EXPIRY = Instant.parse("2027-01-01T00:00:00Z");

    public final Path path;
    public LogDirectory log;
    public NoteSigner signer = SIGNER;

    private Logs(Path path) throws IOException {
        this.path = path;
        this.log = LogDirectory.open(path, SIGNER.key(), Anchor.EMPTY, null, CrashPoints.NONE);
    }

    public static Logs in(Path path) throws IOException {
        return new Logs(path);
    }

    public static LogDirectory reopen(Path path, Anchor anchor) throws IOException {
        return LogDirectory.open(path, SIGNER.key(), anchor, null, CrashPoints.NONE);
    }

    /** Seals a batch of the given entries. */
    public BatchPlan seal(List<LogEntry> entries) throws IOException {
        BatchPlan plan = log.plan(entries);
        log.write(plan);
        Commit commit = log.commit(plan, signer.sign(plan.note()));
        if (!(commit instanceof Commit.Committed)) {
            throw new AssertionError(commit);
        }
        return plan;
    }

    public BatchPlan sealSecret() throws IOException {
        return seal(List.of(LogEntry.SecretCommitted.of(MEMBER)));
    }

    public static JobSalt salt(String job) {
        return JobSalt.of(
                job,
                Hash.sha256(job.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                        .bytes());
    }

    public static Map<String, Json> acceptedRecord(String job, String key) {
        return new TreeMap<>(
                Map.of("job", Json.of(job), "key", Json.of(key), "workflow", Json.of("order"), "input", Json.of(12.5)));
    }

    public static Map<String, Json> closedRecord(String job) {
        return new TreeMap<>(
                Map.of("job", Json.of(job), "outcome", Json.of("completed"), "output", Json.of("grüße €")));
    }

    /** The acceptance of a key by the member whose secret is entry 0. */
    public static LogEntry accepted(String job, String key) {
        return new LogEntry.Accepted(
                MEMBER.tag(MemberSecret.ACCEPT_DOOR, key, 0),
                null,
                0L,
                EXPIRY,
                salt(job).commit(acceptedRecord(job, key)));
    }

    public static LogEntry closed(String job, long accepted) {
        return new LogEntry.Closed(accepted, salt(job).commit(closedRecord(job)));
    }

    /** The acceptance of a job that repeats another one. */
    public static LogEntry rerun(String job, String origin) {
        Map<String, Hash> commitments =
                salt(job).commit(Map.of("job", Json.of(job), LogEntry.Origin.FIELD, Json.of(origin)));
        LogEntry.Origin from = new LogEntry.Origin(
                LogEntry.OriginKind.RERUN, salt(job).commit(LogEntry.Origin.FIELD, Json.of(origin)));
        return new LogEntry.Accepted(null, from, null, EXPIRY, commitments);
    }

    /** Accepts and closes this many jobs, {@code job-N} for {@code key-N}, in one batch. */
    public void sealJobs(int first, int count) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            long index = log.size() + entries.size();
            entries.add(accepted("job-" + i, "key-" + i));
            entries.add(closed("job-" + i, index));
        }
        seal(entries);
    }

    public Intent intend(List<LogEntry> entries) throws IOException {
        return Intent.of(log.plan(entries));
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
