package dev.tallystick.cli.command;

import dev.tallystick.cli.Run;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.Anchor;
import dev.tallystick.log.files.BatchPlan;
import dev.tallystick.log.files.LogDirectory;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A log with one member, its first entry being the member's secret. A witness saw it at noon. */
final class SmallLog {

    static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    static final String ORIGIN = "log.example/tally";
    static final NoteSigner SIGNER = NoteSigner.of(ORIGIN, VerifierKey.Type.NOTE, new byte[32]);
    static final NoteSigner WITNESS = NoteSigner.of("witness.example", VerifierKey.Type.COSIGNATURE, new byte[32]);
    static final MemberSecret MEMBER = InstallationSecret.of(new byte[32]).of("mesh", "member", 1);

    private final Path scratch;

    private SmallLog(Path scratch) {
        this.scratch = scratch;
    }

    static SmallLog in(Path scratch, LogEntry... entries) throws IOException {
        SmallLog log = new SmallLog(scratch);
        Files.writeString(scratch.resolve("root.pub"), SIGNER.key() + "\n");
        Files.writeString(scratch.resolve("policy"), "witness W " + WITNESS.key() + "\nquorum W\n");
        List<LogEntry> all = new ArrayList<>();
        all.add(LogEntry.SecretCommitted.of(MEMBER));
        all.addAll(List.of(entries));
        try (LogDirectory open =
                LogDirectory.open(log.directory(), SIGNER.key(), Anchor.EMPTY, null, CrashPoints.NONE)) {
            BatchPlan plan = open.plan(all);
            open.write(plan);
            open.commit(plan, SIGNER.sign(plan.note()));
            Checkpoint now = Checkpoint.parse(plan.note());
            open.cosign(now, List.of(WITNESS.cosign(now, NOON)));
        }
        return log;
    }

    static Hash tag(String key) {
        return MEMBER.tag(MemberSecret.ACCEPT_DOOR, key, 0);
    }

    /** The acceptance of the tag, as job {@code NAME-job}. */
    static LogEntry accepted(String name, Hash tag) {
        String job = name + "-job";
        return new LogEntry.Accepted(
                tag, null, 0L, NOON, JobSalt.of(job, new byte[32]).commit(Map.of("job", Json.of(job))));
    }

    Path directory() {
        return scratch.resolve("log");
    }

    String policy() {
        return scratch.resolve("policy").toString();
    }

    /** Runs the command with the root key. */
    Run tally(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--root-key", scratch.resolve("root.pub").toString()));
        all.addAll(List.of(more));
        return Run.tally(all.toArray(String[]::new));
    }
}
