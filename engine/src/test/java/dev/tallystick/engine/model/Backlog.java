package dev.tallystick.engine.model;

import dev.tallystick.sql.Database;

/** Fills the tables with jobs as engines leave them, quicker than engines could. */
public final class Backlog {

    /** As ids are made: a moment ago, in order, so that new jobs come after them. */
    private static final String ID =
            "(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 60000), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid";

    private final Database database;

    public Backlog(Database database) {
        this.database = database;
    }

    /** Jobs of one step that have run, with their keys. */
    void closed(int jobs) {
        database.transact("fill with closed jobs", tx -> {
            tx.update(
                    "create temporary table filling on commit drop as select n, " + ID
                            + " as id from generate_series(1, ?) as n",
                    jobs);
            tx.update("""
                    insert into tally.job
                        (id, mesh, workflow, version, semaphore, input, output, outcome, closed_by, closed_at)
                    select id, 'default', 'one', 1, 0, '""', '"done"', 'completed', id, now() from filling
                    """);
            tx.update("""
                    insert into tally.activity (job_id, path, name, kind, ledger, attempts, output)
                    select id, '', '$main', 'body', 1111100000001, 1, '"done"'::bytea from filling
                    union all
                    select id, '1', 'one', 'step', 1111000000001, 1, '"done"'::bytea from filling
                    """);
            tx.update("""
                    insert into tally.guid (job_id, guid, path, name, ordinal, ledger)
                    select id, md5('m' || n)::uuid, '', '$main', 0, 111100000001 from filling
                    union all
                    select id, md5('s' || n)::uuid, '1', 'one', 0, 11000000001 from filling
                    """);
            return tx.update("""
                    insert into tally.key
                        (key, mesh, member, door, status, fingerprint, destination, original_id, expires_at)
                    select 'old-' || n, 'default', '', 'accept', 'committed', sha256('1'), 'workflow:one', id,
                        now() + interval '1 day'
                    from filling
                    """);
        });
        analyze();
    }

    /** Jobs of a mesh whose bodies, sleeps or triggers are due, in the queue that is named. */
    public void due(int jobs, String mesh, String workflow, String queue) {
        database.transact("fill with due jobs", tx -> {
            tx.update(
                    "create temporary table filling on commit drop as select n, " + ID
                            + " as id from generate_series(1, ?) as n",
                    jobs);
            tx.update("""
                    insert into tally.job (id, mesh, workflow, version, semaphore, input)
                    select id, ?, ?, 1, 1, '""' from filling
                    """, mesh, workflow);
            boolean graph = queue.startsWith("$graph:");
            String first = graph ? "start" : ActivityId.MAIN;
            tx.update("""
                    insert into tally.activity (job_id, path, name, kind, ledger, attempts)
                    select id, '', ?, ?, 1100000000000, 1 from filling
                    """, first, graph ? "trigger" : "body");
            return tx.update("""
                    insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                    select id, md5('p' || n)::uuid, ?, ?, 1, now() - interval '1 hour', '', ? from filling
                    """, mesh, queue, first);
        });
        analyze();
    }

    private void analyze() {
        database.transact(
                "analyze", tx -> tx.update("analyze tally.job, tally.activity, tally.guid, tally.posting, tally.key"));
    }
}
