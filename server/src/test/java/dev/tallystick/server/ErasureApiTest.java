package dev.tallystick.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Erasing a job through the API leaves nothing personal in any table. */
class ErasureApiTest {

    /** One word, so that the search index keeps it. */
    private static final String MARK = "xyzzypersonal";

    /** Columns that hold what people entered or what was made of it, for one job. Each is planted and must be cleaned. */
    private static final Set<String> PERSONAL = columns("""
            job input output error
            activity input output error stack_trace
            guid output error
            posting input
            signal payload sender_key
            task details assignee group_name resolved_by resolve_key
            attribute name value
            job_event subject error
            job_trace traceparent
            dead_letter reason
            sealed_job accepted_record
            key key
            message key body meta reply_to mentions traceparent
            delivery error
            mention member
            search words
            rate_grant key
            exchange_posting payload outcome reason
            exchange_received payload outcome reason last_failure
            exchange_issue message detail
            """);

    /**
     * All other columns that could hold text. They hold names of workflows, members, destinations and processes, words of
     * ours, hashes and signatures, or what belongs to no single job: schedules, members, webhooks, lanes.
     */
    private static final Set<String> OTHER = columns("""
            job mesh workflow outcome parent_path parent_name
            activity path name kind
            guid path name
            posting mesh queue owner path name awaits
            signal name
            task mesh name
            attribute mesh
            job_event event path name kind outcome
            dead_letter mesh workflow
            sealed_job mesh salt closed_record
            sealed_member mesh member
            seal_log origin checkpoint owner alarm root_key secret_id witnessed
            log_rotation checkpoint
            old_log origin root_key checkpoint witnessed reason
            old_log_tile bytes
            old_log_rotation checkpoint
            seal_queue keys members
            seal_intent note entries
            seal_fact mesh subject record ends salt
            log_tile bytes
            erasure mesh erased_by key member
            key mesh member door status fingerprint destination response owner
            key_salt salt
            message mesh sender sender_id destination body_kind
            history mesh destination
            history_end mesh
            delivery inbox mesh holder
            mention mesh
            search mesh
            rate_grant mesh member fingerprint
            rate_window mesh member
            exchange_posting producer id consumer ack processing order_key fingerprint checkpoint signature receipt
            exchange_posting result_signature countersignature outcome_digest audit origin
            exchange_received consumer producer id ack processing order_key fingerprint checkpoint signature receipt
            exchange_received countersignature outcome_digest audit result_signature
            exchange_issue participant kind producer consumer id evidence
            exchange_order producer consumer order_key
            exchange_document participant event producers ids
            exchange_partner participant key_id public_key rotation
            exchange_packet topic subject body
            schedule mesh name member workflow cron zone input fingerprint trouble
            lane mesh workflow key queues
            graph name yaml deployed_by
            workflow name yaml
            end_watch mesh workflow watcher
            mesh name
            member mesh name roles id
            member_name mesh name
            token id mesh member hash
            device mesh member name public_key previous_key host_fingerprint
            destination mesh kind name
            subscription mesh source inbox
            webhook id mesh member source url secret
            sequencer name
            follower name
            migration module name digest
            restored ended
            lost_tag tag
            """);

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static Database database;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.sealing(postgres, data);
        database = Database.on(postgres.dataSource());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Set<String> columns(String lines) {
        return lines.lines()
                .map(line -> line.split(" "))
                .flatMap(words -> Arrays.stream(words).skip(1).map(column -> words[0] + "." + column))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Every column that can hold text or bytes. */
    private static Set<String> columnsOfTheCatalogue() {
        List<String> names = database.transact("read the catalogue", tx -> tx.query("""
                        select c.table_name || '.' || c.column_name as name
                        from information_schema.columns c
                        join information_schema.tables t using (table_schema, table_name)
                        where c.table_schema = 'tally'
                            and t.table_type = 'BASE TABLE'
                            and c.udt_name not in ('uuid', 'timestamptz', 'bool', 'int2', 'int4', 'int8', '_uuid', '_int8',
                                '_timestamptz', 'interval', 'float8', 'numeric')
                        """, row -> row.getString("name")));
        return new TreeSet<>(names);
    }

    private static Set<String> marked(Set<String> columns) {
        String hex = HexFormat.of().formatHex(MARK.getBytes(UTF_8));
        return database.transact("look for the mark", tx -> {
            Set<String> found = new TreeSet<>();
            for (String each : columns) {
                String[] name = each.split("\\.");
                String question =
                        "select 1 as one from tally.%s where position('%s' in %s::text) > 0 or position('%s' in %s::text) > 0"
                                .formatted(name[0], MARK, name[1], hex, name[1]);
                if (!tx.query(question, row -> true).isEmpty()) {
                    found.add(each);
                }
            }
            return found;
        });
    }

    private static void plant(UUID job) {
        database.transact("plant", tx -> {
            String guid = tx.first("select guid from tally.guid where job_id = ?", row -> row.getString("guid"), job)
                    .orElseThrow();
            for (String statement : statements().split(";")) {
                if (!statement.isBlank()) {
                    run(tx, statement.replace("$job", "'" + job + "'::uuid").replace("$guid", "'" + guid + "'"));
                }
            }
            return null;
        });
    }

    private static void run(Tx tx, String statement) throws SQLException {
        tx.update(statement.replace("$mark", "'" + MARK + "'"));
    }

    private static String statements() {
        return """
            update tally.job set input = $mark, output = $mark, error = $mark where id = $job;
            update tally.activity set input = $mark, output = $mark, error = $mark, stack_trace = $mark where job_id = $job;
            update tally.guid set output = $mark, error = $mark where job_id = $job;
            insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name, input)
                values ($job, gen_random_uuid(), 'default', 'nowhere', 1, 'infinity', '', '', $mark);
            insert into tally.signal (job_id, name, sender_key, payload) values ($job, 'go', $mark, $mark);
            insert into tally.task (id, job_id, mesh, name, group_name, assignee, details, claimed_at, resolved_at, resolved_by,
                resolve_key)
                values (gen_random_uuid(), $job, 'default', 'review', $mark, $mark, $mark, now(), now(), $mark, $mark);
            insert into tally.attribute (job_id, name, value, mesh) values ($job, $mark, $mark, 'default');
            insert into tally.job_log (job_id, last) values ($job, 1) on conflict do nothing;
            insert into tally.job_event (job_id, position, event, subject, error, at)
                values ($job, 1000, 'signalled', $mark, $mark, now());
            insert into tally.job_trace (job_id, traceparent) values ($job, $mark);
            insert into tally.dead_letter (job_id, mesh, workflow, version, reason, ceiling)
                values ($job, 'default', 'sample.order', 1, $mark, false);
            update tally.message set meta = $mark, reply_to = $mark, mentions = $mark, traceparent = $mark where id = $job;
            insert into tally.delivery (message_id, inbox, mesh, priority, error) values ($job, 'member:x', 'default', 1, $mark);
            insert into tally.mention (mesh, member, message_id) values ('default', $mark, $job);
            insert into tally.rate_grant (key, mesh, member, fingerprint, window_start, repeats)
                values ('order:xyzzypersonal', 'default', 'alice', '', 0, 0);
            insert into tally.exchange_posting (producer, id, consumer, ack, processing, attempt, deadline, fingerprint, payload,
                signature, outcome_digest, outcome, reason, settled_at, audit)
                values ('n', $guid, 'p', 'ACKED_RESULT', 'REJECTED', 1, now(), sha256(''), $mark, '', sha256(''), $mark, $mark,
                now(), '');
            insert into tally.exchange_received (consumer, producer, id, ack, processing, inception_datum, deadline, fingerprint,
                payload, signature, receipt, outcome_digest, outcome, reason, result_signature, last_failure, audit)
                values ('p', 'n', $guid, 'ACKED_RESULT', 'REJECTED', now(), now(), sha256(''), $mark, '', '', sha256(''), $mark,
                $mark, '', $mark, '');
            insert into tally.exchange_issue (participant, kind, producer, consumer, id, evidence, message, detail)
                values ('n', 'x', 'n', 'p', $guid, sha256(''), $mark, $mark)
            """;
    }

    private static Http.Reply sealed(Http member, String job) {
        return Eventually.value(
                "the job is sealed", () -> member.get("/v1/jobs/" + job + "/receipt"), reply -> reply.status() == 200);
    }

    private static Http.Reply erased(String job) {
        return Eventually.value(
                "the job can be erased",
                () -> server.admin().send("POST", "/v1/jobs/" + job + "/erase", null),
                reply -> reply.status() != 409);
    }

    private static String run(Http member, String key, String order) {
        String job = member.submit(key, "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + order + "\"}}")
                .text("job_id");
        assertThat(member.get("/v1/jobs/" + job + "/result?wait=30").text("status"))
                .isEqualTo("completed");
        return job;
    }

    @Test
    void every_column_that_can_hold_text_is_classified() {
        Set<String> classified =
                Stream.concat(PERSONAL.stream(), OTHER.stream()).collect(Collectors.toCollection(TreeSet::new));

        assertThat(columnsOfTheCatalogue())
                .as("say in this test whether a new column is personal; if it is, erase it and plant it here")
                .isEqualTo(classified);
        assertThat(PERSONAL).doesNotContainAnyElementsOf(OTHER);
    }

    @Test
    void nothing_personal_is_left_in_any_table_and_the_receipt_satisfies_a_stranger() throws Exception {
        Http member = server.member("alice", "member");
        String key = "order:" + MARK;
        String job = run(member, key, MARK);
        Http.Reply before = sealed(member, job);
        plant(UUID.fromString(job));
        Eventually.value("the words are indexed", () -> marked(Set.of("search.words")), found -> !found.isEmpty());
        assertThat(marked(PERSONAL)).isEqualTo(PERSONAL);

        Http.Reply erased = erased(job);

        assertThat(erased.status()).as(erased.body()).isEqualTo(200);
        assertThat(marked(columnsOfTheCatalogue())).isEmpty();
        assertThat(server.admin()
                        .send("POST", "/v1/jobs/" + job + "/erase", null)
                        .body())
                .isEqualTo(erased.body());
        assertThat(member.get("/v1/jobs/" + job).code()).isEqualTo("not_found");
        Http.Reply after = sealed(member, job);
        assertThat(after.body()).doesNotContain(MARK).contains("erased");
        Path root = data.resolve("root.pub");
        for (Http.Reply reply : List.of(before, after)) {
            Path file = Files.writeString(
                    data.resolve("receipt.json"), reply.at("receipt").canonical());
            assertThat(Stranger.verifies("receipt", file, root)).startsWith("0 job " + job + ": accepted (entry ");
        }
    }

    @Test
    void a_duplicate_of_an_erased_key_gets_the_first_answer_and_runs_nothing() {
        Http member = server.member("bob", "member");
        String body = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"7\"}}";
        Http.Reply first = member.submit("order:7", body);
        String job = first.text("job_id");
        member.get("/v1/jobs/" + job + "/result?wait=30");
        assertThat(erased(job).status()).isEqualTo(200);
        server.restart();
        Http afterRestart = new Http(server.server().address(), member.token());

        Http.Reply again = afterRestart.submit("order:7", body);

        assertThat(again.status()).as(again.body()).isEqualTo(200);
        for (String same : List.of("job_id", "workflow", "key", "fingerprint", "accepted_at")) {
            assertThat(again.text(same)).isEqualTo(first.text(same));
        }
        assertThat(again.at("version")).isEqualTo(first.at("version"));
        assertThat(again.at("duplicate")).isEqualTo(Json.of(true));
        assertThat(again.at("history_available")).isEqualTo(Json.of(false));
        assertThat(afterRestart
                        .submit("order:7", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"8\"}}")
                        .code())
                .isEqualTo("idempotency_key_reused");
        assertThat(afterRestart.get("/v1/jobs/" + job).code()).isEqualTo("not_found");
    }

    @Test
    void only_an_admin_of_the_mesh_erases_and_an_open_job_is_refused_with_what_to_do() {
        Http member = server.member("carol", "member");
        String job = run(member, "order:9", "9");
        String open = member.submit("approval:9", "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"9\"}}")
                .text("job_id");

        assertThat(member.send("POST", "/v1/jobs/" + job + "/erase", null).code())
                .isEqualTo("forbidden");
        assertThat(server.mesh("strangers")
                        .send("POST", "/v1/jobs/" + job + "/erase", null)
                        .code())
                .isEqualTo("not_found");
        Http.Reply refused = server.admin().send("POST", "/v1/jobs/" + open + "/erase", null);
        assertThat(refused.code()).isEqualTo("job_open");
        assertThat(refused.text("detail")).contains("cancel it");
        TallyClient admin =
                new TallyClient(server.server().address(), server.admin().token(), Duration.ofSeconds(30));
        erased(job);
        assertThat(admin.jobs().erase(UUID.fromString(job)).erasedBy()).isEqualTo("admin");
    }
}
