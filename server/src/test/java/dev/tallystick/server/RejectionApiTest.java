package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a submission is refused for over HTTP: it leaves no row in any table, and its key is free. */
class RejectionApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final String JOBS = "/v1/jobs";
    private static final String MESSAGES = "/v1/messages";
    private static final String ORDER = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}";
    private static final String NEWS = "{\"to\":\"topic:news\",\"message\":\"x\"}";

    private static ServerUnderTest server;
    private static Http alice;
    private static Http observer;

    /** A request that is refused, and one that is not, under the same key. */
    enum Refusal {
        NOT_JSON(JOBS, "{", ORDER, 400, "malformed_json"),
        A_MEMBER_TOO_MANY(JOBS, "{\"workflow\":\"sample.order\",\"x\":1}", ORDER, 400, "malformed_request"),
        NO_PRIORITY(JOBS, "{\"workflow\":\"sample.order\",\"priority\":\"x\"}", ORDER, 400, "malformed_request"),
        NO_ATTRIBUTE(JOBS, "{\"workflow\":\"sample.order\",\"attributes\":{\"n\":1}}", ORDER, 400, "options_refused"),
        NO_SUCH_WORKFLOW(JOBS, "{\"workflow\":\"nowhere\"}", ORDER, 404, "unknown_workflow"),
        NO_SUCH_VERSION(JOBS, "{\"workflow\":\"sample.order\",\"version\":9}", ORDER, 404, "unknown_workflow"),
        TOO_LARGE(
                JOBS,
                "{\"workflow\":\"sample.order\",\"input\":\"" + "x".repeat(1 << 20) + "\"}",
                ORDER,
                413,
                "payload_too_large"),
        NO_DESTINATION(MESSAGES, "{\"to\":\"unknown\",\"message\":\"x\"}", NEWS, 400, "malformed_request"),
        NO_SUCH_TOPIC(MESSAGES, "{\"to\":\"topic:none\",\"message\":\"x\"}", NEWS, 404, "unknown_topic"),
        NO_SUCH_QUEUE(MESSAGES, "{\"to\":\"queue:none\",\"message\":\"x\"}", NEWS, 404, "unknown_queue"),
        NO_SUCH_MEMBER(MESSAGES, "{\"to\":\"member:none\",\"message\":\"x\"}", NEWS, 404, "unknown_member"),
        TOO_MANY_MENTIONS(
                MESSAGES,
                "{\"to\":\"topic:news\",\"message\":\"x\",\"mentions\":[" + "\"m\",".repeat(100) + "\"m\"]}",
                NEWS,
                400,
                "mentions_refused"),
        NO_NAME_OF_A_MEMBER(
                MESSAGES,
                "{\"to\":\"topic:news\",\"message\":\"x\",\"mentions\":[\"two words\"]}",
                NEWS,
                400,
                "mentions_refused"),
        ANOTHER_KEY_IN_THE_BODY(
                MESSAGES,
                "{\"to\":\"topic:news\",\"message\":\"x\",\"client_message_id\":\"other\"}",
                NEWS,
                400,
                "idempotency_key_refused"),
        /** Requests without a token, or without the role, are repeated with them. */
        NO_TOKEN(JOBS, ORDER, ORDER, 401, "unauthenticated"),
        NOT_THE_ROLE(JOBS, ORDER, ORDER, 403, "forbidden");

        private final String path;
        private final String refused;
        private final String accepted;
        private final int status;
        private final String code;

        Refusal(String path, String refused, String accepted, int status, String code) {
            this.path = path;
            this.refused = refused;
            this.accepted = accepted;
            this.status = status;
            this.code = code;
        }
    }

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        alice = server.member("alice", "member");
        observer = server.member("olga", "observer");
        server.admin().put("/v1/topics/news", "{}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** First everything that is refused, because accepted requests write rows. */
    @Test
    void a_refusal_leaves_no_row_and_the_key_is_accepted_once_its_cause_is_gone() {
        Map<String, Long> before = rows();
        for (Refusal refusal : Refusal.values()) {
            for (int repeat = 0; repeat < 2; repeat++) {
                Http.Reply refused = send(asker(refusal), refusal, refusal.refused);
                assertThat(refused.code()).as(refusal + refused.body()).isEqualTo(refusal.code);
                assertThat(refused.status()).isEqualTo(refusal.status);
            }
            assertThat(rows()).as(refusal.toString()).isEqualTo(before);
        }

        for (Refusal refusal : Refusal.values()) {
            Http.Reply accepted = send(alice, refusal, refusal.accepted);
            assertThat(accepted.status()).as(refusal + accepted.body()).isEqualTo(201);
        }
        assertThat(rows().get("key")).isEqualTo(Refusal.values().length);
    }

    private static Http asker(Refusal refusal) {
        return switch (refusal) {
            case NO_TOKEN -> server.anonymous();
            case NOT_THE_ROLE -> observer;
            default -> alice;
        };
    }

    private static Http.Reply send(Http http, Refusal refusal, String body) {
        return http.post(refusal.path, body, "Idempotency-Key", "refused:" + refusal);
    }

    /** How many there are in every table; but for those of the limiter, which counts refusals too, and of who follows. */
    private static Map<String, Long> rows() {
        return Database.on(postgres.dataSource()).transact("count", tx -> {
            Map<String, Long> rows = new TreeMap<>();
            List<String> tables = tx.query("""
                    select table_name
                    from information_schema.tables
                    where table_schema = 'tally' and table_name not like 'rate%' and table_name <> 'follower'
                    """, row -> row.getString("table_name"));
            for (String table : tables) {
                rows.put(
                        table,
                        tx.first("select count(*) as n from tally." + table, row -> row.getLong("n"))
                                .orElseThrow());
            }
            return rows;
        });
    }
}
