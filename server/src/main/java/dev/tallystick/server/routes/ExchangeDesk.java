package dev.tallystick.server.routes;

import dev.tallystick.Exchange;
import dev.tallystick.exchange.books.Books;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.Discrepancy;
import dev.tallystick.exchange.books.HttpBooks;
import dev.tallystick.exchange.books.HttpBooks.Side;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import dev.tallystick.exchange.transport.PacketInbox;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.sql.Database;
import java.net.http.HttpClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What the routes of the exchange need: records, issues, the inbox, and books that are being compared. Thread-safe. */
public final class ExchangeDesk {

    /** Reading the books costs a scan, so a partner that asks again at once gets the same. */
    private static final long SAME_BOOKS = Duration.ofSeconds(5).toNanos();

    private record Key(Participant partner, Side side) {}

    /** Books as they were when their roots were asked for. */
    record OpenBooks(UUID id, Books books, long madeAt) {}

    private final Database database;
    private final Participant self;
    private final SecureRandom random = new SecureRandom();
    private final Exchange exchange;
    private final PacketInbox inbox;
    private final HttpClient client;
    private final Map<Participant, Partner> addresses;
    private final Map<Key, OpenBooks> books = new HashMap<>();

    /** @param client reaches the partners' servers */
    public ExchangeDesk(
            Database database,
            Participant self,
            Exchange exchange,
            PostgresTransport local,
            HttpClient client,
            Map<Participant, Partner> addresses) {
        this.database = database;
        this.self = self;
        this.client = client;
        this.addresses = Map.copyOf(addresses);
        this.exchange = exchange;
        this.inbox = new PacketInbox(local);
    }

    Participant self() {
        return self;
    }

    Records records() {
        return exchange.records();
    }

    Issues issues() {
        return exchange.issues();
    }

    Partners partners() {
        return exchange.partners();
    }

    PacketInbox inbox() {
        return inbox;
    }

    public Map<IssueKind, Long> issueCounts() {
        return issues().counts();
    }

    public Map<String, Long> openCounts() {
        return records().counts();
    }

    /** Compares our books with those of a partner, if we know its server, and records the differences as issues. */
    Optional<List<Discrepancy>> reconcile(Participant partner) {
        return Optional.ofNullable(addresses.get(partner))
                .map(at -> Discrepancy.findAll(
                        database,
                        self,
                        partner,
                        new HttpBooks(client, at, self, Side.RECEIVED),
                        new HttpBooks(client, at, self, Side.POSTED)));
    }

    /** New books, in place of the former ones of this partner and side. */
    synchronized OpenBooks open(Participant partner, Side side) {
        Key key = new Key(partner, side);
        OpenBooks known = books.get(key);
        if (known != null && System.nanoTime() - known.madeAt() < SAME_BOOKS) {
            return known;
        }
        Books read = side == Side.POSTED
                ? DatabaseBooks.ofProducer(database, self, partner)
                : DatabaseBooks.ofConsumer(database, partner, self);
        OpenBooks opened = new OpenBooks(new UUID(random.nextLong(), random.nextLong()), read, System.nanoTime());
        books.put(key, opened);
        return opened;
    }

    synchronized Optional<Books> find(Participant partner, UUID id) {
        return books.entrySet().stream()
                .filter(each -> each.getKey().partner().equals(partner)
                        && each.getValue().id().equals(id))
                .map(each -> each.getValue().books())
                .findFirst();
    }
}
