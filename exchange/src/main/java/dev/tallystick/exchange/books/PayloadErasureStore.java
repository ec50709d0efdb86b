package dev.tallystick.exchange.books;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/**
 * The payloads of postings of all participants of this database. One method is one statement, and scans its table: IDs are
 * unique for each sender. The caller owns the transaction.
 */
final class PayloadErasureStore {

    private static final String UNSETTLED = """
        select id || ' to ' || consumer as what
        from tally.exchange_posting
        where id = any(?) and (processing = 'PENDING' or origin is not null)
        union all
        select id || ' to ' || consumer
        from tally.exchange_received
        where id = any(?) and ack <> 'ACKED_RESULT'
        limit 1
        """;

    private static final String ERASE_POSTED = """
        update tally.exchange_posting
        set payload = '', outcome = case when outcome is not null then ''::bytea end,
            reason = case when reason is not null then 'erased' end
        where id = any(?)
        """;

    private static final String ERASE_RECEIVED = """
        update tally.exchange_received
        set payload = '', outcome = case when outcome is not null then ''::bytea end,
            reason = case when reason is not null then 'erased' end,
            last_failure = case when last_failure is not null then 'erased' end
        where id = any(?)
        """;

    private static final String ERASE_ISSUES = """
        update tally.exchange_issue
        set message = null, detail = 'erased'
        where id = any(?)
        """;

    Optional<String> unsettled(Tx tx, Collection<String> ids) throws SQLException {
        String[] all = ids.toArray(String[]::new);
        return tx.first(UNSETTLED, row -> row.getString("what"), all, all);
    }

    void erasePosted(Tx tx, Collection<String> ids) throws SQLException {
        tx.update(ERASE_POSTED, (Object) ids.toArray(String[]::new));
    }

    void eraseReceived(Tx tx, Collection<String> ids) throws SQLException {
        tx.update(ERASE_RECEIVED, (Object) ids.toArray(String[]::new));
    }

    void eraseIssues(Tx tx, Collection<String> ids) throws SQLException {
        tx.update(ERASE_ISSUES, (Object) ids.toArray(String[]::new));
    }
}
