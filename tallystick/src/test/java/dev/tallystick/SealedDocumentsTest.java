package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.SealCrashPoint;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.log.audit.LogAudit;
import dev.tallystick.log.audit.MemberAudit;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.tree.EntryBundle;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.wiring.SealedDocuments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Postings, receipts, results and acknowledgements are sealed once in the log of each side, in their order. */
class SealedDocumentsTest {

    private static final int POSTINGS = 6;

    @RegisterExtension
    static final TestPostgres acmes = TestPostgres.perTest().prepared("parties", ExchangeParties::prepare);

    @RegisterExtension
    static final TestPostgres globexs = TestPostgres.perTest().prepared("parties", ExchangeParties::prepare);

    @TempDir
    Path directory;

    static Stream<CrashPoint> points() {
        return Stream.of(
                        Stream.of(ExchangeCrashPoint.values()),
                        Stream.of(SealCrashPoint.values()),
                        Stream.of(SqlCrashPoint.BEFORE_COMMIT, SqlCrashPoint.AFTER_COMMIT))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("points")
    void after_a_crash_at_any_point_each_document_is_sealed_once_in_both_logs(CrashPoint point) throws Exception {
        seal(CrashPoints.NONE);
        int time = point instanceof SqlCrashPoint ? 2 : 1;
        CrashAt acmeDies = CrashAt.nth(point, time);
        CrashAt globexDies = CrashAt.nth(point, time);
        AtomicInteger calls = new AtomicInteger();
        exchange("1", acmeDies, globexDies, (request, tx) -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("fails at first");
            }
            return ExchangeParties.handle(request, tx);
        });
        CrashAt sealerDies = CrashAt.nth(point, time);
        seal(sealerDies);

        exchange("2", CrashPoints.NONE, CrashPoints.NONE, ExchangeParties::handle);
        seal(CrashPoints.NONE);

        assertSealedOnce();
        assertThat(acmeDies.hasCrashed() || globexDies.hasCrashed() || sealerDies.hasCrashed())
                .as("something reaches %s", point)
                .isTrue();
    }

    @Test
    void without_a_log_nothing_is_queued() {
        exchange("1", CrashPoints.NONE, CrashPoints.NONE, ExchangeParties::handle);

        assertThat(count(acmes, "exchange_document")).isZero();
        assertThat(count(globexs, "exchange_document")).isZero();
    }

    /** Runs both sides until everything is settled, or one is dead. */
    private static void exchange(String instance, CrashPoints acme, CrashPoints globex, Handler handler) {
        try (Transport transport = new PostgresTransport(Database.on(acmes.dataSource()), "test");
                Side n = new Side(acmes.dataSource(), ExchangeParties.acme(instance), transport, null, acme)) {
            n.post();
            Eventually.holds("a second attempt, or a dead side", () -> isDead(acme) || n.hasTriedTwice());
            try (Side p =
                    new Side(globexs.dataSource(), ExchangeParties.globex(instance), transport, handler, globex)) {
                Eventually.holds(
                        "everything is settled, or a side is dead",
                        () -> isDead(acme) || isDead(globex) || (n.isSettled() && p.isSettled()));
            }
        }
    }

    private static boolean isDead(CrashPoints points) {
        return points instanceof CrashAt crash && crash.hasCrashed();
    }

    /** Opens a sealer for each side, seals everything, and closes it. */
    private void seal(CrashPoints crashPoints) {
        for (TestPostgres side : List.of(acmes, globexs)) {
            try (Sealer sealer = SealedDocuments.seal(
                    Database.on(side.dataSource(), RandomGenerator.getDefault(), crashPoints),
                    SealSettings.in(directory.resolve(name(side))).lease(Duration.ZERO),
                    name(side) + ".example/log",
                    crashPoints)) {
                sealer.seal();
            } catch (SimulatedCrash dead) {
                return;
            }
        }
    }

    private static String name(TestPostgres side) {
        return side == acmes ? "acme" : "globex";
    }

    private void assertSealedOnce() throws Exception {
        for (TestPostgres side : List.of(acmes, globexs)) {
            assertThat(count(side, "exchange_document")).isZero();
            Participant self = side == acmes ? ExchangeParties.ACME : ExchangeParties.GLOBEX;
            Map<String, List<Map<String, Json>>> sealed = sealed(side);
            for (int i = 0; i < POSTINGS; i++) {
                String subject = "posting:acme/globex/order-" + i;
                List<Map<String, Json>> records = Objects.requireNonNull(sealed.remove(subject), subject);
                assertThat(records.stream().flatMap(record -> documents(record).stream()))
                        .containsExactly("posting", "receipt", "result", "acknowledgement");
                assertThat(records).allSatisfy(record -> assertThat(record).containsEntry("by", Json.of(self.name())));
                assertThat(records.getLast()).containsEntry("statement", Json.of(acknowledgement(side, self, i)));
            }
            assertThat(sealed).isEmpty();
            Path files = directory.resolve(name(side));
            try (Sealer sealer = Sealer.open(
                    Database.on(side.dataSource()), SealSettings.in(files), "unused.example/log", CrashPoints.NONE)) {
                assertThat(LogAudit.audit(files.resolve("log"), sealer.rootKey(), new MemberAudit())
                                .findings())
                        .isEmpty();
            }
        }
    }

    /** The hash of the statement, made from the evidence. */
    private static String acknowledgement(TestPostgres side, Participant self, int i) {
        Database database = Database.on(side.dataSource());
        Records records = new Records(database, self);
        MessageId id = new MessageId("order-" + i);
        Bundle bundle = (side == acmes
                        ? records.posted(id, new Partners(database))
                        : records.received(ExchangeParties.ACME, id, new Partners(database)))
                .orElseThrow();
        Bundle.Result result = Objects.requireNonNull(bundle.result());
        byte[] statement = Statement.ofResult(
                bundle.ref(), result.processing(), Statement.outcomeDigest(result.payload(), result.reason()));
        return Base64.getEncoder().encodeToString(Statement.sha256(Statement.ofAcknowledgement(statement)));
    }

    private static List<String> documents(Map<String, Json> record) {
        return ((Json.ArrayValue) Objects.requireNonNull(record.get("documents")))
                .elements().stream()
                        .map(each -> ((Json.StringValue) each).value())
                        .toList();
    }

    private record Row(String subject, byte[] record, byte[] salt, long position) {}

    /** The records of all documents in the log, by their subject and in their order; each opens its entry. */
    private static Map<String, List<Map<String, Json>>> sealed(TestPostgres side) {
        return Database.on(side.dataSource()).transact("read the log", tx -> {
            List<LogEntry> entries = new ArrayList<>();
            tx.query("select bytes from tally.log_tile where level = -1 order by number", row -> row.getBytes("bytes"))
                    .forEach(bundle -> EntryBundle.decode(bundle).forEach(each -> entries.add(LogEntry.parse(each))));
            List<Row> rows = tx.query(
                    "select subject, record, salt, position from tally.seal_fact where type = 5 order by position",
                    row -> new Row(
                            row.getString("subject"),
                            row.getBytes("record"),
                            row.getBytes("salt"),
                            row.getLong("position")));
            assertThat(entries.stream().filter(LogEntry.ExchangeDocument.class::isInstance))
                    .hasSameSizeAs(rows);
            Map<String, List<Map<String, Json>>> records = new HashMap<>();
            for (Row row : rows) {
                Map<String, Json> record = ((Json.ObjectValue) Json.parse(row.record())).members();
                assertThat(entries.get((int) row.position()))
                        .isEqualTo(new LogEntry.ExchangeDocument(
                                JobSalt.of(row.subject(), row.salt()).commit(record)));
                records.computeIfAbsent(row.subject(), subject -> new ArrayList<>())
                        .add(record);
            }
            return records;
        });
    }

    private static long count(TestPostgres side, String table) {
        return Database.on(side.dataSource())
                .transact("count", tx -> tx.first("select count(*) as n from tally." + table, row -> row.getLong("n")))
                .orElseThrow();
    }

    /** An instance of a participant that posts, or answers if it has a handler. */
    private static final class Side implements AutoCloseable {

        private final Records records;
        private final GroupCommitter committer;
        private final @Nullable Producer producer;
        private final @Nullable Consumer consumer;

        Side(
                DataSource source,
                Identity identity,
                Transport transport,
                @Nullable Handler handler,
                CrashPoints crashPoints) {
            Database database = Database.on(source, RandomGenerator.getDefault(), crashPoints);
            Partners partners = new Partners(Database.on(source));
            records = new Records(Database.on(source), identity.participant());
            committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
            if (handler == null) {
                consumer = null;
                producer = new Producer(
                        database, committer, identity, partners, transport, ExchangeParties.FAST, crashPoints);
                producer.start();
            } else {
                producer = null;
                consumer = new Consumer(
                        database, committer, identity, partners, transport, handler, ExchangeParties.FAST, crashPoints);
                consumer.start();
            }
        }

        void post() {
            for (int i = 0; i < POSTINGS; i++) {
                try {
                    Producer.join(Objects.requireNonNull(producer)
                            .post(new Draft(
                                    ExchangeParties.GLOBEX,
                                    new MessageId("order-" + i),
                                    Payload.of(i == 3 ? "nothing" : "tea"))));
                } catch (RuntimeException | Error dead) {
                    return;
                }
            }
        }

        boolean hasTriedTwice() {
            return records.list(true, 100).stream().anyMatch(posting -> posting.attempts() >= 2)
                    || (!records.list(true, 100).isEmpty() && isSettled());
        }

        boolean isSettled() {
            return records.list(true, 100).size() == POSTINGS
                    && records.counts().values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum()
                            == 0;
        }

        @Override
        public void close() {
            try {
                if (producer != null) {
                    producer.close();
                }
                if (consumer != null) {
                    consumer.close();
                }
                committer.close();
            } catch (SimulatedCrash dead) {
                // The dead give nothing back.
            }
        }
    }
}
