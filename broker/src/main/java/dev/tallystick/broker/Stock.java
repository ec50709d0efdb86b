package dev.tallystick.broker;

import dev.tallystick.core.Destination;
import dev.tallystick.sql.Database;

/**
 * Checks whether a quota has room for another topic, queue, member or token, before it is created: concurrent callers may
 * exceed a quota by their number, and by no more. Thread-safe.
 */
public final class Stock {

    private final Database database;
    private final Quotas quotas;
    private final StockStore store = new StockStore();

    public Stock(Database database, Quotas quotas) {
        this.database = database;
        this.quotas = quotas;
    }

    /**
     * Call before creating a topic or a queue.
     *
     * @throws QuotaExceededException if it is new and there is no room for it
     */
    public void requireRoomFor(String mesh, Destination destination) {
        boolean topic = destination.kind() == Destination.Kind.TOPIC;
        int most = topic ? quotas.topics() : quotas.queues();
        if (!database.transact("count destinations", tx -> store.hasRoomFor(tx, mesh, destination, most))) {
            String what = "the mesh has " + most + " " + destination.kind().word() + "s";
            throw new QuotaExceededException(what, topic ? Quotas.TOPICS : Quotas.QUEUES);
        }
    }

    /**
     * Call before creating a member.
     *
     * @throws QuotaExceededException if it is new and there is no room for it
     */
    public void requireRoomForMember(String mesh, String name) {
        if (!database.transact("count members", tx -> store.hasRoomForMember(tx, mesh, name, quotas.members()))) {
            throw new QuotaExceededException("the mesh has " + quotas.members() + " members", Quotas.MEMBERS);
        }
    }

    /**
     * Call before creating a token.
     *
     * @throws QuotaExceededException if the member has the maximum number of valid tokens
     */
    public void requireRoomForToken(String mesh, String member) {
        if (!database.transact("count tokens", tx -> store.hasRoomForToken(tx, mesh, member, quotas.tokens()))) {
            throw new QuotaExceededException("the member has " + quotas.tokens() + " valid tokens", Quotas.TOKENS);
        }
    }
}
