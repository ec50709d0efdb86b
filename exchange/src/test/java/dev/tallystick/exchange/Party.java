package dev.tallystick.exchange;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.IssueRow;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Handler;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.consumer.Request;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/** One instance of a participant on its database. */
public final class Party implements AutoCloseable {

    public static final Participant ACME = new Participant("acme");
    public static final Participant GLOBEX = new Participant("globex");
    public static final SigningKey ACME_KEY = SigningKey.generate();
    public static final SigningKey GLOBEX_KEY = SigningKey.generate();

    /** A refused order says so in its payload. */
    static final String REFUSED = "refuse";

    public static final ExchangeSettings FAST = ExchangeSettings.DEFAULT
            .withIntervals(
                    Duration.ofMillis(300), Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofMillis(50))
            .withParallelism(200, 8);

    private final Identity identity;
    private final Database database;
    private final Database observed;
    private final GroupCommitter committer;
    private final Partners partners;
    private final CrashPoints crashPoints;
    private final List<AutoCloseable> closing = new ArrayList<>();

    private Party(Identity identity, DataSource source, CrashPoints crashPoints) {
        this.identity = identity;
        this.crashPoints = crashPoints;
        database = Database.on(source, RandomGenerator.getDefault(), crashPoints);
        committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        observed = Database.on(source);
        partners = new Partners(observed);
    }

    public static TestPostgres postgres() {
        return TestPostgres.perTest().prepared("exchange", Party::prepare);
    }

    static void prepare(DataSource source) {
        Database database = Database.on(source);
        ExchangeSchema.migrations().migrate(database);
        database.transact(
                "prepare", tx -> tx.update("create table effect (id text not null, at bigserial primary key)"));
        Partners partners = new Partners(database);
        partners.trust(ACME, ACME_KEY.publicKey());
        partners.trust(GLOBEX, GLOBEX_KEY.publicKey());
    }

    public static Party acme(DataSource source) {
        return acme(source, "1", CrashPoints.NONE);
    }

    static Party acme(DataSource source, String instance, CrashPoints crashPoints) {
        return new Party(new Identity(ACME, instance, ACME_KEY), source, crashPoints);
    }

    public static Party globex(DataSource source) {
        return globex(source, "1", CrashPoints.NONE);
    }

    static Party globex(DataSource source, String instance, CrashPoints crashPoints) {
        return new Party(new Identity(GLOBEX, instance, GLOBEX_KEY), source, crashPoints);
    }

    /** With a key other than the usual one. */
    public static Party of(Participant participant, SigningKey key, DataSource source) {
        return new Party(new Identity(participant, "1", key), source, CrashPoints.NONE);
    }

    public Producer producing(Transport transport, ExchangeSettings settings) {
        Producer producer = new Producer(database, committer, identity, partners, transport, settings, crashPoints);
        closing.add(producer);
        producer.start();
        return producer;
    }

    public Consumer consuming(Transport transport, ExchangeSettings settings, Handler handler) {
        Consumer consumer =
                new Consumer(database, committer, identity, partners, transport, handler, settings, crashPoints);
        closing.add(consumer);
        consumer.start();
        return consumer;
    }

    public Consumer consuming(Transport transport) {
        return consuming(transport, FAST, Party::handle);
    }

    /** Writes an effect, unless the posting is to be refused. */
    static Outcome handle(Request request, Tx tx) throws SQLException {
        if (request.payload().text().startsWith(REFUSED)) {
            return Outcome.rejected("not today");
        }
        tx.update("insert into effect (id) values (?)", request.id().value());
        return Outcome.ok("done " + request.payload().text());
    }

    public static Draft order(String id) {
        return order(id, "order " + id);
    }

    public static Draft order(String id, String content) {
        return new Draft(GLOBEX, new MessageId(id), Payload.of(content));
    }

    /** For the test: it does not crash. */
    public Database database() {
        return observed;
    }

    public Partners partners() {
        return partners;
    }

    public Issues issues() {
        return new Issues(observed, identity.participant());
    }

    public Records records() {
        return new Records(observed, identity.participant());
    }

    public Set<IssueKind> openIssues() {
        Set<IssueKind> kinds = new TreeSet<>();
        for (IssueRow issue : issues().list(false, 100)) {
            kinds.add(issue.kind());
        }
        return kinds;
    }

    public List<String> effects() {
        return observed.transact(
                "read effects", tx -> tx.query("select id from effect order by at", row -> row.getString("id")));
    }

    long open() {
        return records().counts().values().stream().mapToLong(Long::longValue).sum();
    }

    static DatabaseBooks booksOfAcme(DataSource source) {
        return DatabaseBooks.ofProducer(Database.on(source), ACME, GLOBEX);
    }

    static DatabaseBooks booksOfGlobex(DataSource source) {
        return DatabaseBooks.ofConsumer(Database.on(source), ACME, GLOBEX);
    }

    @Override
    public void close() {
        Collections.reverse(closing);
        for (AutoCloseable each : closing) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        committer.close();
    }
}
