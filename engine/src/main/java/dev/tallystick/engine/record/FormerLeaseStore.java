package dev.tallystick.engine.record;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Frees the leases of a dead process when its successor starts. A named process leases as {@code name/id}, with a new id at
 * every start; no other process runs under its name, so the holder of a lease under another id is dead. If it is alive after
 * all, its fence becomes invalid when its work is leased again, and its writes are refused.
 */
public record FormerLeaseStore(String instance) {

    private static final int LENGTH_OF_ID = 37;

    // As if the leases had run out: the next holder sees that they were lost, and a step that allows one attempt and
    // was started is not started again.
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

    public String ownerOf(UUID id) {
        return instance + "/" + id;
    }

    public int free(Tx tx, String owner) throws SQLException {
        return tx.update(FREE, LENGTH_OF_ID, instance, owner);
    }
}
