package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Queues;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of workflows that processes have registered. One method is one statement; the caller owns the transaction. */
public final class WorkflowStore {

    private static final String SAVE = """
            insert into tally.workflow as w (name, version, yaml, limited)
            values (?, ?, ?, ?)
            on conflict (name, version) do update
            set yaml = excluded.yaml, limited = excluded.limited
            where (w.yaml, w.limited) is distinct from (excluded.yaml, excluded.limited)
            """;

    // Deployed graphs never change, so they take precedence.
    private static final String ALL = """
            select name, version, yaml, false as limited, removed_at is not null as removed
            from tally.graph
            union all
            select w.name, w.version, w.yaml, w.limited, false
            from tally.workflow w
            where not exists (select from tally.graph g where g.name = w.name and g.version = w.version)
            """;

    /**
     * A workflow version that a process has registered.
     *
     * @param yaml null for code
     * @param removed whether new jobs of it can no longer be started
     */
    public record Row(String name, int version, @Nullable String yaml, boolean limited, boolean removed) {

        public Row(String name, int version, @Nullable String yaml, boolean limited) {
            this(name, version, yaml, limited, false);
        }

        public String queue() {
            return Queues.of(name, version);
        }
    }

    public void save(Tx tx, Row row) throws SQLException {
        tx.update(SAVE, row.name(), row.version(), row.yaml(), row.limited());
    }

    /** All registered workflows and deployed graphs. */
    List<Row> all(Tx tx) throws SQLException {
        return tx.query(ALL, WorkflowStore::row);
    }

    private static Row row(ResultSet row) throws SQLException {
        return new Row(
                row.getString("name"),
                row.getInt("version"),
                row.getString("yaml"),
                row.getBoolean("limited"),
                row.getBoolean("removed"));
    }
}
