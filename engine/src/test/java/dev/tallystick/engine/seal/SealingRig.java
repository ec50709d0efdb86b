package dev.tallystick.engine.seal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs, sealers of one database and directory, and what must hold once everything is sealed. */
abstract class SealingRig {

    static final String ORIGIN = "test.example/log";

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @TempDir
    Path files;

    Workbench workbench;
    Engine engine;
    final List<Sealer> sealers = new ArrayList<>();

    @BeforeEach
    void open() {
        workbench = new Workbench(postgres.dataSource());
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        workbench.workflow("parent", (ctx, input) -> ctx.child("one", input, String.class));
        workbench.workflow("again", (ctx, input) -> input.equals("last") ? "done" : ctx.continueAsNew("last"));
        engine = workbench.start();
    }

    @AfterEach
    void close() {
        sealers.forEach(Sealer::close);
        workbench.close();
    }

    /** The lease of a sealer that died runs out at once. */
    SealSettings settings() {
        return SealSettings.in(files).lease(Duration.ZERO);
    }

    Sealer sealer() {
        return sealer(workbench.database(), CrashPoints.NONE);
    }

    Sealer sealer(Database database, CrashPoints crashPoints) {
        return sealer(database, settings(), crashPoints);
    }

    Sealer sealer(Database database, SealSettings settings, CrashPoints crashPoints) {
        Sealer sealer = Sealer.open(database, settings, ORIGIN, crashPoints);
        sealers.add(sealer);
        return sealer;
    }

    JobId run(String workflow, String key) {
        JobId job = workbench.submit(engine, workflow, key);
        workbench.await(engine, job);
        return job;
    }

    /** The entries below the anchor, from the copy in the database. */
    List<LogEntry> entries() {
        return workbench.database().transact("read the log", tx -> {
            List<LogEntry> entries = new ArrayList<>();
            tx.query("select bytes from tally.log_tile where level = -1 order by number", row -> row.getBytes("bytes"))
                    .forEach(bundle -> EntryBundle.decode(bundle).forEach(each -> entries.add(LogEntry.parse(each))));
            return entries;
        });
    }

    List<String> types() {
        return entries().stream().map(entry -> entry.type().words()).toList();
    }

    long size() {
        return number("select size as n from tally.seal_log");
    }

    long number(String query) {
        return workbench
                .database()
                .transact("count", tx -> tx.first(query, row -> row.getLong("n")))
                .orElseThrow();
    }

    String alarm() {
        return workbench
                .database()
                .transact(
                        "alarm",
                        tx -> tx.first(
                                "select coalesce(alarm, '') as alarm from tally.seal_log",
                                row -> row.getString("alarm")))
                .orElseThrow();
    }

    /** What must hold once everything is sealed. */
    void everythingIsSealedOnce() throws IOException {
        assertThat(alarm()).isEmpty();
        assertThat(workbench.count("seal_queue")).isZero();
        assertThat(workbench.count("seal_intent")).isZero();
        List<LogEntry> entries = entries();
        assertThat((long) entries.size()).isEqualTo(size());
        long jobs = workbench.count("job");
        assertThat(entries.stream().filter(LogEntry.Accepted.class::isInstance)).hasSize((int) jobs);
        assertThat(entries.stream().filter(LogEntry.Closed.class::isInstance))
                .hasSize((int) number("select count(*) as n from tally.job where closed_by is not null"));
        assertThat(number("""
                select count(*) as n
                from tally.sealed_job s
                join tally.job j on j.id = s.id and j.mesh = s.mesh
                where s.accepted is not null and (s.closed is not null) = (j.closed_by is not null)
                """)).isEqualTo(jobs);
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i) instanceof LogEntry.Closed closed) {
                int accepted = Objects.requireNonNull(closed.accepted()).intValue();
                assertThat(accepted).isLessThan(i);
                assertThat(entries.get(accepted)).isInstanceOf(LogEntry.Accepted.class);
            }
        }
        Checkpoint published = Checkpoint.parse(SignedNote.parse(Files.readAllBytes(files.resolve("log/checkpoint")))
                .text());
        assertThat(published.size()).isEqualTo(size());
    }
}
