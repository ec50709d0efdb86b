package dev.tallystick.broker.message;

import dev.tallystick.broker.member.Stock;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Names;
import dev.tallystick.sql.Database;
import java.util.List;

/** The topics and queues of the meshes, and their subscribers. Thread-safe. */
public final class Directory {

    /** The result of subscribing. */
    public enum Subscribed {
        /** The member gets what is sent to the topic from now on; it may have been subscribed before. */
        DONE,
        UNKNOWN_TOPIC,
        UNKNOWN_MEMBER
    }

    private final Database database;
    private final DirectoryStore store = new DirectoryStore();

    public Directory(Database database) {
        this.database = database;
    }

    /**
     * Creates a topic or a queue.
     *
     * @return false if it existed before, or the mesh does not
     */
    public boolean create(String mesh, Destination destination) {
        return create(mesh, destination, Stock.Room.ANY);
    }

    /** As {@link #create(String, Destination)}, if there is room. */
    public boolean create(String mesh, Destination destination, Stock.Room room) {
        requireNamed(destination);
        Names.require(destination.kind().word(), destination.reference());
        return database.transact("create " + destination, tx -> {
            room.require(tx);
            return store.create(tx, mesh, destination);
        });
    }

    /**
     * Deletes a topic with its subscriptions, or a queue. What is on its way is still delivered. The webhooks of a topic end with
     * it: one that is created under the same name is another topic.
     */
    public boolean delete(String mesh, Destination destination) {
        requireNamed(destination);
        return database.transact("delete " + destination, tx -> {
            // First, so that concurrent additions to it have committed.
            boolean there = store.delete(tx, mesh, destination);
            store.deleteSubscriptions(tx, mesh, destination);
            store.endWebhooks(tx, mesh, destination);
            return there;
        });
    }

    public boolean exists(String mesh, Destination destination) {
        requireNamed(destination);
        return database.read("find " + destination, tx -> store.exists(tx, mesh, destination));
    }

    /** All topics, or all queues, by name. */
    public List<String> list(String mesh, Destination.Kind kind) {
        return database.read("list " + kind, tx -> store.list(tx, mesh, kind));
    }

    public Subscribed subscribe(String mesh, String topic, String member) {
        Destination source = topic(topic);
        return database.transact("subscribe", tx -> {
            if (!store.lock(tx, mesh, source)) {
                return Subscribed.UNKNOWN_TOPIC;
            }
            // An invalid member name is treated like an unknown member.
            return Names.isName(member) && store.subscribe(tx, mesh, source, member)
                    ? Subscribed.DONE
                    : Subscribed.UNKNOWN_MEMBER;
        });
    }

    /** Ends a subscription, and returns false if there was none. */
    public boolean unsubscribe(String mesh, String topic, String member) {
        return Names.isName(member)
                && database.transact("unsubscribe", tx -> store.unsubscribe(tx, mesh, topic(topic), member));
    }

    /** The members that subscribed to a topic. */
    public List<String> subscribers(String mesh, String topic) {
        return database.read("list subscribers", tx -> store.inboxesOf(tx, mesh, topic(topic))).stream()
                .filter(inbox -> inbox.kind() == Inbox.Kind.MEMBER)
                .map(inbox -> Member.nameIn(inbox.name()))
                .toList();
    }

    private static Destination topic(String name) {
        return new Destination(Destination.Kind.TOPIC, name);
    }

    private static void requireNamed(Destination destination) {
        switch (destination.kind()) {
            case TOPIC, QUEUE -> {}
            case MEMBER, WORKFLOW ->
                throw new IllegalArgumentException(destination + " is neither a topic nor a queue");
        }
    }
}
