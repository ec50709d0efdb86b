package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.note.Policy;
import dev.tallystick.server.backup.Backup;
import dev.tallystick.server.backup.LogCheck;
import dev.tallystick.server.backup.Restore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SchemaName;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A sealing server that is backed up and restored into another schema of its database. */
abstract class RestoreRig {

    static final SchemaName ANOTHER = new SchemaName("restored");

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    @TempDir
    Path backups;

    ServerUnderTest server;
    Database database;
    Database another;

    @BeforeEach
    void start() {
        server = ServerUnderTest.sealing(postgres, data);
        database = Database.on(postgres.dataSource());
        another = database.in(ANOTHER);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    Http member(Http member) {
        return new Http(server.server().address(), member.token());
    }

    static String submit(Http member, String workflow, String key) {
        return member.submit(key, body(workflow, key)).text("job_id");
    }

    static String body(String workflow, String key) {
        return "{\"workflow\":\"" + workflow + "\",\"input\":{\"order\":\"" + key + "\"}}";
    }

    static String run(Http member, String key) {
        String job = submit(member, "sample.order", key);
        assertThat(result(member, job)).isEqualTo("completed");
        return job;
    }

    static String result(Http member, String job) {
        return member.get("/v1/jobs/" + job + "/result?wait=30").text("status");
    }

    void everythingIsSealed(Database where) {
        Eventually.holds(
                "everything is sealed",
                () -> where.transact("count", tx -> tx.first("""
                                        select (select count(*) from tally.seal_queue)
                                            + (select count(*) from tally.seal_intent)
                                            + (select count(*) from tally.seal_fact where position is null) as n
                                        """, row -> row.getLong("n")))
                        .orElseThrow()
                        .equals(0L));
    }

    Path backup(String name) throws IOException {
        Path backup = backups.resolve(name);
        new Backup(database, CrashPoints.NONE).into(backup);
        return backup;
    }

    LogCheck.Outcome restore(Path backup) throws IOException {
        new Restore(another, ServerSchema.ALL, CrashPoints.NONE).from(backup);
        return new LogCheck(another, data, Policy.unwitnessed()).run();
    }

    /** Ends the old server, and starts one on the restored database. */
    void startAgain() {
        server = ServerUnderTest.sealing(postgres, data, ANOTHER);
    }

    /** A new job is sealed, and a stranger is satisfied with the log and with the receipts. */
    void theLogContinues(Http member, String... jobs) throws Exception {
        String fresh = run(member, "fresh:" + jobs.length);
        everythingIsSealed(another);
        for (String job : Stream.concat(Stream.of(fresh), Stream.of(jobs)).toList()) {
            Path file = Files.writeString(
                    backups.resolve("receipt.json"),
                    member.get("/v1/jobs/" + job + "/receipt").at("receipt").canonical());
            assertThat(Stranger.verifies("receipt", file, data.resolve("root.pub")))
                    .startsWith("0 job " + job + ": accepted (entry ");
        }
        assertThat(Stranger.verifies("log", data.resolve("log"), data.resolve("root.pub")))
                .startsWith("0 log ");
        assertThat(server.admin().get("/metrics").body()).contains("tally_seal_alarm 0.0");
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(directory)) {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
