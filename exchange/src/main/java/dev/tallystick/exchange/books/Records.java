package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.partner.KeyRotation;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a participant's database says about its postings: lists, counts and evidence. Thread-safe. */
public final class Records {

    private final Database database;
    private final Participant self;
    private final ViewStore store = new ViewStore();

    public Records(Database database, Participant self) {
        this.database = database;
        this.self = self;
    }

    /** The newest postings of both directions. */
    public List<View> list(boolean alsoSettled, int limit) {
        return database.read("list postings", tx -> store.list(tx, self, alsoSettled, null, limit));
    }

    /** The records under this id: one that we posted, and those that partners posted to us. */
    public List<View> show(MessageId id) {
        return database.read("show a posting", tx -> store.list(tx, self, true, id.value(), 100));
    }

    /**
     * Lets an instance publish an open posting, or the result of a received one, again soon.
     *
     * @param operator for the audit trail
     * @return whether there was one
     */
    public boolean replay(MessageId id, String operator) {
        return database.transact(
                        "replay",
                        tx -> store.replayPosted(tx, self, id.value(), self + "/" + operator)
                                + store.replayReceived(tx, self, id.value(), self + "/" + operator))
                > 0;
    }

    /** How many open records have each status, as {@code posted NACKED_POSTING, PENDING} and the like. */
    public Map<String, Long> counts() {
        return database.read("count open postings", tx -> store.count(tx, self)).stream()
                .collect(Collectors.toMap(count -> name(count.side(), count.status()), ViewStore.Count::number));
    }

    private static String name(String side, Status status) {
        return side + " " + status;
    }

    /** The evidence for a posting that we posted. */
    public Optional<Bundle> posted(MessageId id, Partners partners) {
        List<KeyRotation> rotations = partners.rotations();
        return database.transact("export evidence", tx -> store.posted(tx, self, id, rotations));
    }

    /** The evidence for a posting that a partner posted to us. */
    public Optional<Bundle> received(Participant producer, MessageId id, Partners partners) {
        List<KeyRotation> rotations = partners.rotations();
        return database.transact("export evidence", tx -> store.received(tx, self, producer, id, rotations));
    }
}
