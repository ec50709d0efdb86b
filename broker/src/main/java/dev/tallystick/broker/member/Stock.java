package dev.tallystick.broker.member;

import dev.tallystick.core.Destination;
import dev.tallystick.sql.TurnStore;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;

/**
 * Whether there is room for another topic, queue, member or token. It is asked in the transaction that creates one, and those
 * who create something in the same mesh take turns: a quota is not exceeded, however many ask at the same moment. Thread-safe.
 */
public final class Stock {

    private final Quotas quotas;
    private final StockStore store = new StockStore();
    private final TurnStore turns = new TurnStore();

    /** Asked before something is created, in the same transaction. */
    @FunctionalInterface
    public interface Room {

        /** For those who have no quotas. */
        Room ANY = tx -> {};

        /**
         * Returns if there is room, or if what is to be created is there already.
         *
         * @throws QuotaExceededException if it is a new one, and there is no room for it
         */
        void require(Tx tx) throws SQLException;
    }

    public Stock(Quotas quotas) {
        this.quotas = quotas;
    }

    /** Room for a topic or a queue. */
    public Room roomFor(String mesh, Destination destination) {
        boolean topic = destination.kind() == Destination.Kind.TOPIC;
        int most = topic ? quotas.topics() : quotas.queues();
        return tx -> {
            takeTurn(tx, mesh);
            if (!store.hasRoomFor(tx, mesh, destination, most)) {
                String what = "the mesh has " + most + " " + destination.kind().word() + "s";
                throw new QuotaExceededException(what, topic ? Quotas.TOPICS : Quotas.QUEUES);
            }
        };
    }

    public Room roomForMember(String mesh, String name) {
        return tx -> {
            takeTurn(tx, mesh);
            if (!store.hasRoomForMember(tx, mesh, name, quotas.members())) {
                throw new QuotaExceededException("the mesh has " + quotas.members() + " members", Quotas.MEMBERS);
            }
        };
    }

    /** Room for another good token of a member. */
    public Room roomForToken(String mesh, String member) {
        return tx -> {
            takeTurn(tx, mesh);
            if (!store.hasRoomForToken(tx, mesh, member, quotas.tokens())) {
                throw new QuotaExceededException("the member has " + quotas.tokens() + " valid tokens", Quotas.TOKENS);
            }
        };
    }

    private void takeTurn(Tx tx, String mesh) throws SQLException {
        turns.take(tx, "tally.quota " + mesh);
    }
}
