package dev.tallystick.engine.seal;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Facts besides the acceptances and ends of jobs: erasures, acts of operators, documents of the exchange. One method is one
 * statement; the caller owns the transaction.
 */
final class OtherFactStore {

    /**
     * A fact that is to be sealed.
     *
     * @param accepted the position of the acceptance of the job that was erased; null for other facts, and if there is none
     */
    record Waiting(
            long id,
            int type,
            String subject,
            byte[] record,
            byte @Nullable [] ends,
            @Nullable Long accepted) {}

    /** A fact that has its place in the log. */
    record Placed(long id, byte[] salt, long position) {}

    /** A document that has its place in the log. */
    record PlacedDocument(DocumentQueue.Document document, byte[] record, byte[] salt, long position) {}

    /** What proves that a job was erased. */
    record Erasure(byte[] record, byte[] salt, long position, LogNumber log) {}

    private static final String IS_SEALING = "select exists (select from tally.seal_log) as yes";

    private static final String QUEUE = """
            insert into tally.seal_fact (type, mesh, subject, record, ends)
            values (?, ?, ?, ?, ?)
            """;

    private static final String WAITING = """
            select f.id, f.type, f.subject, f.record, f.ends, s.accepted
            from tally.seal_fact f
            left join tally.sealed_job s on s.id = case when f.type = 3 then f.subject::uuid end and s.mesh = f.mesh
                and s.log = (select number from tally.seal_log)
            where f.position is null
                and f.id < ?
            order by f.id
            limit ?
            """;

    private static final String PLACE = """
            with placed as (
                update tally.seal_fact f
                set salt = i.salt, position = i.position, log = (select number from tally.seal_log)
                from unnest(?::bigint[], ?::bytea[], ?::bigint[]) as i (id, salt, position)
                where f.id = i.id
                    and f.position is null
                returning f.type, f.mesh, f.subject, f.position, f.log
            )
            update tally.sealed_job s
            set erased = p.position
            from placed p
            where s.id = case when p.type = 3 then p.subject::uuid end
                and s.mesh = p.mesh
                and s.log = p.log
            """;

    // Documents belong to the installation, and to no mesh.
    private static final String ADD_DOCUMENTS = """
            insert into tally.seal_fact (type, mesh, subject, record, salt, position, log)
            select 5, '', subject, record, salt, position, (select number from tally.seal_log)
            from unnest(?::text[], ?::bytea[], ?::bytea[], ?::bigint[]) as i (subject, record, salt, position)
            order by position
            """;

    private static final String IS_ERASING = """
            select exists (
                select
                from tally.seal_fact
                where subject = ?
                    and mesh = ?
                    and type = 3
                    and position is null
            ) as yes
            """;

    private static final String ERASURE = """
            select record, salt, position, log
            from tally.seal_fact
            where subject = ?
                and mesh = ?
                and type = 3
                and position is not null
            """;

    boolean isSealing(Tx tx) throws SQLException {
        return tx.first(IS_SEALING, row -> row.getBoolean("yes")).orElseThrow();
    }

    void queue(Tx tx, int type, String mesh, String subject, byte[] record, byte @Nullable [] ends)
            throws SQLException {
        tx.update(QUEUE, type, mesh, subject, record, ends);
    }

    /** The oldest facts that are to be sealed, with IDs less than this. */
    List<Waiting> waiting(Tx tx, long before, int limit) throws SQLException {
        return tx.query(
                WAITING,
                row -> new Waiting(
                        row.getLong("id"),
                        row.getInt("type"),
                        row.getString("subject"),
                        row.getBytes("record"),
                        row.getBytes("ends"),
                        row.getObject("accepted", Long.class)),
                before,
                limit);
    }

    void place(Tx tx, List<Placed> facts) throws SQLException {
        Columns<Placed> of = new Columns<>(facts);
        tx.update(PLACE, of.longs(Placed::id), of.bytes(Placed::salt), of.longs(Placed::position));
    }

    void add(Tx tx, List<PlacedDocument> documents) throws SQLException {
        Columns<PlacedDocument> of = new Columns<>(documents);
        tx.update(
                ADD_DOCUMENTS,
                of.texts(each -> each.document().subject()),
                of.bytes(PlacedDocument::record),
                of.bytes(PlacedDocument::salt),
                of.longs(PlacedDocument::position));
    }

    /** Whether the erasure of a job is queued. */
    boolean isErasing(Tx tx, String mesh, UUID job) throws SQLException {
        return tx.first(IS_ERASING, row -> row.getBoolean("yes"), job.toString(), mesh)
                .orElseThrow();
    }

    /** Empty as long as the erasure has no place in the log. */
    Optional<Erasure> erasure(Tx tx, String mesh, UUID job) throws SQLException {
        return tx.first(
                ERASURE,
                row -> new Erasure(
                        Objects.requireNonNull(row.getBytes("record")),
                        Objects.requireNonNull(row.getBytes("salt")),
                        row.getLong("position"),
                        new LogNumber(row.getInt("log"))),
                job.toString(),
                mesh);
    }
}
