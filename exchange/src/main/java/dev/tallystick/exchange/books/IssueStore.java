package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/** The consistency issues. One method is one statement; the caller owns the transaction. */
final class IssueStore {

    private static final String RAISE = """
        insert into tally.exchange_issue as i (participant, kind, producer, consumer, id, evidence, message, detail)
        select ?, kind, producer, consumer, id, evidence, message, detail
        from unnest(?, ?, ?, ?, ?, ?, ?) as raised (kind, producer, consumer, id, evidence, message, detail)
        order by producer, consumer, id, kind, evidence
        on conflict (participant, producer, consumer, id, kind, evidence) do update
        set times = i.times + 1,
            last_at = now(),
            message = excluded.message,
            detail = excluded.detail,
            resolved_at = null
        """;

    private static final String READ = """
        select kind, producer, consumer, id, detail, times, raised_at, last_at, resolved_at
        from tally.exchange_issue
        where participant = ? and (? or resolved_at is null)
        order by raised_at desc
        limit ?
        """;

    private static final String COUNT = """
        select kind, count(*) as number
        from tally.exchange_issue
        where participant = ? and resolved_at is null
        group by kind
        """;

    private static final String RESOLVE = """
        update tally.exchange_issue
        set resolved_at = now()
        where participant = ? and id = ? and kind = ? and resolved_at is null
        """;

    record Count(IssueKind kind, long number) {}

    /** Each issue once: {@link Issues} has removed repetitions. */
    void raise(Tx tx, Participant participant, List<Issue> issues) throws SQLException {
        Columns<Issue> columns = new Columns<>(issues);
        tx.update(
                RAISE,
                participant.name(),
                columns.texts(issue -> issue.kind().name()),
                columns.texts(issue -> issue.producer().name()),
                columns.texts(issue -> issue.consumer().name()),
                columns.texts(issue -> issue.id().value()),
                columns.bytes(Issue::evidence),
                columns.bytes(Issue::message),
                columns.texts(Issue::detail));
    }

    List<IssueRow> read(Tx tx, Participant participant, boolean alsoResolved, int limit) throws SQLException {
        return tx.query(
                READ,
                row -> new IssueRow(
                        IssueKind.valueOf(row.getString("kind")),
                        row.getString("producer"),
                        row.getString("consumer"),
                        row.getString("id"),
                        row.getString("detail"),
                        row.getLong("times"),
                        Objects.requireNonNull(Tx.instant(row, "raised_at")),
                        Objects.requireNonNull(Tx.instant(row, "last_at")),
                        Tx.instant(row, "resolved_at")),
                participant.name(),
                alsoResolved,
                limit);
    }

    List<Count> count(Tx tx, Participant participant) throws SQLException {
        return tx.query(
                COUNT,
                row -> new Count(IssueKind.valueOf(row.getString("kind")), row.getLong("number")),
                participant.name());
    }

    int resolve(Tx tx, Participant participant, String id, IssueKind kind) throws SQLException {
        return tx.update(RESOLVE, participant.name(), id, kind.name());
    }
}
