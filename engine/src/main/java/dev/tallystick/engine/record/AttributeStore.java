package dev.tallystick.engine.record;

import dev.tallystick.engine.model.NewJob;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.List;

/** The attribute table. One method is one statement; the caller owns the transaction. */
public final class AttributeStore {

    // A submission repeated after a lost reply must not overwrite attributes that the job has set since.
    private static final String SUBMITTED = """
            insert into tally.attribute (job_id, mesh, name, value)
            select *
            from unnest(?::uuid[], ?::text[], ?::text[], ?::text[])
            on conflict (job_id, name) do nothing
            """;

    private static final String SET = """
            insert into tally.attribute (job_id, mesh, name, value)
            values (?, ?, ?, ?)
            on conflict (job_id, name) do update
            set value = excluded.value
            """;

    private static final String INHERIT = """
            insert into tally.attribute (job_id, mesh, name, value)
            select i.id, a.mesh, a.name, a.value
            from unnest(?::uuid[], ?::uuid[]) as i (id, continued_from)
            join tally.attribute a on a.job_id = i.continued_from
            on conflict (job_id, name) do nothing
            """;

    record Item(JobId job, String mesh, Attribute attribute) {}

    void submitted(Tx tx, List<Item> items) throws SQLException {
        Columns<Item> of = new Columns<>(items);
        tx.update(
                SUBMITTED,
                of.uuids(item -> item.job().value()),
                of.texts(Item::mesh),
                of.texts(item -> item.attribute().name()),
                of.texts(item -> item.attribute().value()));
    }

    /** Jobs that continue or rerun others inherit their attributes. */
    void inherit(Tx tx, List<NewJob> jobs) throws SQLException {
        Columns<NewJob> of = new Columns<>(jobs);
        tx.update(
                INHERIT,
                of.uuids(job -> job.id().value()),
                of.uuids(job ->
                        job.continuedFrom() == null ? null : job.continuedFrom().value()));
    }

    public void set(Tx tx, JobId job, String mesh, Attribute attribute) throws SQLException {
        tx.update(SET, job.value(), mesh, attribute.name(), attribute.value());
    }
}
