package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The leases of a process that has died, freed by its successor. A process that has a name leases as {@code name/id}, where the
 * id is new with every start; nobody else is up under its name, so whoever leased under another id is dead. Should it live after
 * all, its fence falls when its work is leased again, and what it says then is refused.
 */
record FormerLeaseStore(String instance) {

    private static final int LENGTH_OF_ID = 37;

    // As if the leases had run out: who leases next sees that they were lost, and a step that may be tried only once
    // and was begun is not begun again.
    private static final String FREE = """
            with former as materialized (
                select job_id, guid
                from tally.posting
                where left(owner, -?) = ?
                    and owner <> ?
                    and visible_at > now()
                    and visible_at < 'infinity'
                for update skip locked
            )
            update tally.posting p
            set visible_at = now()
            from former f
            where p.job_id = f.job_id and p.guid = f.guid
            """;

    String ownerOf(UUID id) {
        return instance + "/" + id;
    }

    int free(Tx tx, String owner) throws SQLException {
        return tx.update(FREE, LENGTH_OF_ID, instance, owner);
    }
}
