package dev.tallystick.broker.message;

import dev.tallystick.broker.model.Inbox;
import dev.tallystick.core.Destination;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/** The tables of destinations and subscriptions. One method is one statement; the caller owns the transaction. */
public final class DirectoryStore {

    private static final String CREATE = """
            insert into tally.destination (mesh, kind, name)
            select m.name, ?, ?
            from tally.mesh m
            where m.name = ?
            on conflict (mesh, kind, name) do nothing
            """;

    private static final String DELETE = """
            delete from tally.destination
            where mesh = ? and kind = ? and name = ?
            """;

    private static final String DELETE_SUBSCRIPTIONS = """
            delete from tally.subscription
            where mesh = ? and source = ?
            """;

    private static final String END_WEBHOOKS = """
            update tally.webhook
            set ended_at = now()
            where mesh = ? and source = ? and ended_at is null
            """;

    private static final String EXISTS = """
            select 1
            from tally.destination
            where mesh = ? and kind = ? and name = ?
            """;

    // A concurrent delete waits, and then sees what was added.
    private static final String LOCK = """
            select 1
            from tally.destination
            where mesh = ? and kind = ? and name = ?
            for key share
            """;

    private static final String LIST = """
            select name
            from tally.destination
            where mesh = ? and kind = ?
            order by name
            """;

    // The update changes nothing, but makes the row count the same for new and existing rows.
    private static final String SUBSCRIBE = """
            insert into tally.subscription as s (mesh, source, inbox)
            select m.mesh, ?, 'member:' || m.id
            from tally.member m
            where m.mesh = ? and m.name = ?
            on conflict (mesh, source, inbox) do update
            set created_at = s.created_at
            """;

    private static final String UNSUBSCRIBE = """
            delete from tally.subscription s
            using tally.member m
            where s.mesh = ? and s.source = ? and s.inbox = 'member:' || m.id and m.mesh = s.mesh and m.name = ?
            """;

    private static final String INBOXES = """
            select inbox
            from tally.subscription
            where mesh = ? and source = ?
            order by inbox
            """;

    boolean create(Tx tx, String mesh, Destination destination) throws SQLException {
        return tx.update(CREATE, destination.kind().word(), destination.reference(), mesh) == 1;
    }

    boolean delete(Tx tx, String mesh, Destination destination) throws SQLException {
        return tx.update(DELETE, mesh, destination.kind().word(), destination.reference()) == 1;
    }

    void deleteSubscriptions(Tx tx, String mesh, Destination source) throws SQLException {
        tx.update(DELETE_SUBSCRIPTIONS, mesh, source.toString());
    }

    /** Their owners see that they are not called any more. */
    void endWebhooks(Tx tx, String mesh, Destination source) throws SQLException {
        tx.update(END_WEBHOOKS, mesh, source.toString());
    }

    /** Whether it exists, and still will when the transaction ends. */
    public boolean lock(Tx tx, String mesh, Destination destination) throws SQLException {
        return tx.first(LOCK, row -> true, mesh, destination.kind().word(), destination.reference())
                .isPresent();
    }

    boolean exists(Tx tx, String mesh, Destination destination) throws SQLException {
        return tx.first(EXISTS, row -> true, mesh, destination.kind().word(), destination.reference())
                .isPresent();
    }

    List<String> list(Tx tx, String mesh, Destination.Kind kind) throws SQLException {
        return tx.query(LIST, row -> row.getString("name"), mesh, kind.word());
    }

    /** False if the member does not exist. */
    boolean subscribe(Tx tx, String mesh, Destination source, String member) throws SQLException {
        return tx.update(SUBSCRIBE, source.toString(), mesh, member) == 1;
    }

    boolean unsubscribe(Tx tx, String mesh, Destination source, String member) throws SQLException {
        return tx.update(UNSUBSCRIBE, mesh, source.toString(), member) == 1;
    }

    List<Inbox> inboxesOf(Tx tx, String mesh, Destination source) throws SQLException {
        return tx.query(INBOXES, row -> Inbox.parse(row.getString("inbox")), mesh, source.toString());
    }
}
