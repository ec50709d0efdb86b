package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.server.backup.LogCheck;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Backups and copies of the log are made while jobs are submitted. After a restore, every key that was acknowledged gets the
 * answer that is promised for it, and the auditor's program is satisfied with the log.
 */
class RestoreDrillTest extends RestoreRig {

    private static final int CALLERS = 3;
    private static final int MORE = 120;

    /** What is lost. */
    enum Loss {
        DATABASE_OLDER,
        LOG_OLDER,
        BOTH_OLDER,
        NEITHER
    }

    /** Submits jobs until it is closed. */
    private static final class Load implements AutoCloseable {

        private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
        private final AtomicBoolean ends = new AtomicBoolean();
        private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

        Load(Http member) {
            for (int caller = 0; caller < CALLERS; caller++) {
                String prefix = "load:" + caller + ":";
                Future<?> unused = callers.submit(() -> submitAll(member, prefix));
            }
        }

        private void submitAll(Http member, String prefix) {
            for (int i = 0; !ends.get(); i++) {
                acknowledged.put(prefix + i, RestoreRig.submit(member, "sample.order", prefix + i));
            }
        }

        void awaitMore() {
            int wanted = acknowledged.size() + MORE;
            Eventually.holds("more jobs are accepted", () -> acknowledged.size() >= wanted);
        }

        @Override
        public void close() {
            ends.set(true);
            callers.close();
        }
    }

    /** A copy that a reader can use at any moment: nothing that the checkpoint names is written after it. */
    private Path copyOfLog(String name) throws IOException {
        Path copy = backups.resolve(name);
        Files.createDirectory(copy);
        Path checkpoint = data.resolve("log/checkpoint");
        Files.copy(checkpoint, copy.resolve("checkpoint"));
        try (Stream<Path> files = Files.walk(data.resolve("log"))) {
            for (Path file : files.filter(each -> !each.equals(checkpoint)).toList()) {
                copyIfThere(
                        file, copy.resolve(data.resolve("log").relativize(file).toString()));
            }
        }
        return copy;
    }

    /** Older tails are deleted at any time, and so are temporary files. */
    private static void copyIfThere(Path file, Path to) throws IOException {
        try {
            if (Files.isDirectory(file)) {
                Files.createDirectories(to);
            } else {
                Files.copy(file, to);
            }
        } catch (NoSuchFileException e) {
            Files.deleteIfExists(to);
        }
    }

    private Map<String, String> keys(Database where) {
        Map<String, String> keys = new HashMap<>();
        where.read(
                        "read keys",
                        tx -> tx.query(
                                "select key, original_id from tally.key",
                                row -> Map.entry(row.getString("key"), row.getString("original_id"))))
                .forEach(entry -> keys.put(entry.getKey(), entry.getValue()));
        return keys;
    }

    /** The jobs whose acceptance is in a log of this size. */
    private Set<String> sealed(long size) {
        return new HashSet<>(database.read(
                "read sealed jobs",
                tx -> tx.query(
                        "select id from tally.sealed_job where accepted < ?", row -> row.getString("id"), size)));
    }

    @ParameterizedTest
    @EnumSource
    void every_acknowledged_key_gets_the_promised_answer_after_a_loss_under_load(Loss loss) throws Exception {
        Http alice = server.member("alice", "member");
        Path firstBackup;
        Path firstLog;
        Path lastBackup;
        Map<String, String> acknowledged;
        try (Load load = new Load(alice)) {
            load.awaitMore();
            Eventually.holds("some are sealed", () -> Files.exists(data.resolve("log/checkpoint")));
            firstBackup = backup("first");
            firstLog = copyOfLog("first-log");
            load.awaitMore();
            lastBackup = backup("last");
            load.awaitMore();
            acknowledged = load.acknowledged;
        }
        if (loss == Loss.NEITHER) {
            everythingIsSealed(database);
            lastBackup = backup("idle");
        }
        server.close();
        boolean isDatabaseOlder = loss == Loss.DATABASE_OLDER || loss == Loss.BOTH_OLDER;
        if (loss == Loss.LOG_OLDER || loss == Loss.BOTH_OLDER) {
            delete(data.resolve("log"));
            copy(firstLog, data.resolve("log"));
        }

        LogCheck.Outcome outcome = restore(isDatabaseOlder ? firstBackup : lastBackup);

        Map<String, String> kept = keys(another);
        Set<String> sealed = sealed(outcome.report().size());
        startAgain();
        Http again = member(alice);
        Map<String, Integer> answers = new TreeMap<>();
        acknowledged.forEach((key, job) -> {
            Http.Reply reply = again.submit(key, body("sample.order", key));
            if (kept.containsKey(key)) {
                assertThat(reply.text("job_id")).isEqualTo(job);
                answers.merge("kept", 1, Integer::sum);
            } else if (sealed.contains(job)) {
                assertThat(reply.code()).as(reply.body()).isEqualTo("outcome_unknown");
                answers.merge("unknown", 1, Integer::sum);
            } else {
                assertThat(reply.status()).as(reply.body()).isEqualTo(201);
                answers.merge("in the window", 1, Integer::sum);
            }
        });
        assertThat(answers.get("kept")).isGreaterThanOrEqualTo(MORE);
        assertThat(answers.containsKey("unknown")).isEqualTo(outcome.report().lost() > 0);
        assertThat(outcome.filesWritten() > 0).isEqualTo(loss == Loss.LOG_OLDER);
        switch (loss) {
            case DATABASE_OLDER -> assertThat(answers).containsKey("unknown");
            case LOG_OLDER, BOTH_OLDER -> assertThat(answers).containsKey("in the window");
            case NEITHER -> assertThat(answers).containsOnlyKeys("kept");
        }
        theLogContinues(again);
    }
}
