package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What operators do is sealed once, if and only if it took effect, with what the entry commits to. */
class SealedActsTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    Path data;

    private ServerUnderTest server;
    private Database database;

    @BeforeEach
    void start() {
        server = ServerUnderTest.sealing(postgres, data);
        database = Database.on(postgres.dataSource());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** An act that is sealed: its entry and the record that opens it. */
    private record Sealed(LogEntry.OperatorAction entry, Map<String, Json> record) {

        String words() {
            return text("action") + " " + text("subject") + " by " + text("by");
        }

        private String text(String field) {
            return ((Json.StringValue) Optional.ofNullable(record.get(field)).orElseThrow()).value();
        }
    }

    private record Row(String subject, byte[] record, byte[] salt, long position) {}

    private List<Sealed> sealed() {
        Eventually.holds(
                "every fact is sealed",
                () -> database.transact("count", tx -> tx.first("""
                                        select count(*) as n
                                        from tally.seal_fact f, tally.seal_log l
                                        where coalesce(f.position, l.size) >= l.size
                                        """, row -> row.getLong("n")))
                        .orElseThrow()
                        .equals(0L));
        return database.transact("read facts", tx -> {
            List<byte[]> entries = new ArrayList<>();
            tx.query("select bytes from tally.log_tile where level = -1 order by number", row -> row.getBytes("bytes"))
                    .forEach(bundle -> entries.addAll(EntryBundle.decode(bundle)));
            return tx
                    .query(
                            "select subject, record, salt, position from tally.seal_fact where type = 4 order by position",
                            row -> new Row(
                                    row.getString("subject"),
                                    row.getBytes("record"),
                                    row.getBytes("salt"),
                                    row.getLong("position")))
                    .stream()
                    .map(row -> {
                        Map<String, Json> record = ((Json.ObjectValue) Json.parse(row.record())).members();
                        LogEntry.OperatorAction entry =
                                (LogEntry.OperatorAction) LogEntry.parse(entries.get((int) row.position()));
                        assertThat(entry.commitments())
                                .isEqualTo(JobSalt.of(row.subject(), row.salt()).commit(record));
                        return new Sealed(entry, record);
                    })
                    .toList();
        });
    }

    @Test
    void acts_on_jobs_members_and_tokens_are_sealed_once_and_repeats_and_refusals_are_not() throws Exception {
        Http admin = server.admin();
        Http member = server.member("alice", "member");
        String open = member.submit("approval:1", "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"1\"}}")
                .text("job_id");
        member.send("POST", "/v1/jobs/" + open + "/cancel", null);
        member.get("/v1/jobs/" + open + "/result?wait=30");
        for (int i = 0; i < 2; i++) {
            member.send("POST", "/v1/jobs/" + open + "/rerun", null, "Idempotency-Key", "again:1");
        }
        admin.put("/v1/members/alice", "{\"roles\":[\"observer\"]}");
        String token = admin.post("/v1/members/alice/tokens", "{}").text("id");
        for (int i = 0; i < 2; i++) {
            admin.delete("/v1/tokens/" + token);
            admin.delete("/v1/members/alice");
        }

        List<Sealed> acts = sealed();

        assertThat(acts.stream().map(Sealed::words))
                .containsSubsequence(
                        "create_member member:alice by admin",
                        "cancel " + open + " by alice",
                        "rerun " + open + " by alice",
                        "change_roles member:alice by admin",
                        "issue_token token:" + token + " by admin",
                        "revoke_token token:" + token + " by admin",
                        "remove_member member:alice by admin")
                .doesNotHaveDuplicates();
        assertThat(acts.stream().map(act -> act.entry().ends()).filter(ends -> ends != null))
                .containsExactly(
                        LogEntry.OperatorAction.ended("token", "default", token),
                        LogEntry.OperatorAction.ended("member", "default", "alice"));
        VerifierKey root =
                VerifierKey.parse(Files.readString(data.resolve("root.pub")).strip());
        assertThat(LogAudit.audit(data.resolve("log"), root, new MemberAudit()).findings())
                .isEmpty();
        assertThat(Stranger.verifies("log", data.resolve("log"), data.resolve("root.pub")))
                .startsWith("0 log ");
    }
}
