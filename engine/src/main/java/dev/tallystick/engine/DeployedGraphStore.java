package dev.tallystick.engine;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The table of deployed graphs. One method is one statement; the caller owns the transaction. */
final class DeployedGraphStore {

    private static final String INSERT = """
            insert into tally.graph (name, version, yaml, deployed_by)
            values (?, ?, ?, ?)
            on conflict (name, version) do nothing
            """;

    private static final String RESTORE = """
            update tally.graph
            set removed_at = null
            where name = ?
                and version = ?
                and yaml = ?
                and removed_at is not null
            """;

    private static final String REMOVE = """
            update tally.graph
            set removed_at = now()
            where name = ?
                and version = ?
                and removed_at is null
            """;

    private static final String COLUMNS = """
            select name, version, yaml, deployed_by, deployed_at, removed_at
            from tally.graph
            """;

    private static final String READ = COLUMNS + "where name = ? and version = ?";

    // Reads all graphs except the known ones, not "those after the last known one": that would miss a row that commits
    // late.
    private static final String OTHERS = COLUMNS + """
            where name || '@' || version || case when removed_at is null then '' else '!' end <> all(?)
            order by name, version
            """;

    /** Returns false if a graph of this name and version exists. */
    boolean insert(Tx tx, Graph graph, String yaml, String by) throws SQLException {
        return tx.update(INSERT, graph.name(), graph.version(), yaml, by) == 1;
    }

    Optional<DeployedGraph> read(Tx tx, String name, int version) throws SQLException {
        return tx.first(READ, DeployedGraphStore::graph, name, version);
    }

    /** Returns whether it had been removed. */
    boolean restore(Tx tx, Graph graph, String yaml) throws SQLException {
        return tx.update(RESTORE, graph.name(), graph.version(), yaml) == 1;
    }

    void remove(Tx tx, String name, int version) throws SQLException {
        tx.update(REMOVE, name, version);
    }

    /**
     * The graphs that are new or have changed.
     *
     * @param known the known queues, and whether the graph of each was removed
     */
    List<DeployedGraph> others(Tx tx, Map<String, Boolean> known) throws SQLException {
        String[] states = known.entrySet().stream()
                .map(each -> each.getKey() + (each.getValue() ? "!" : ""))
                .toArray(String[]::new);
        return tx.query(OTHERS, DeployedGraphStore::graph, (Object) states);
    }

    private static DeployedGraph graph(ResultSet row) throws SQLException {
        return new DeployedGraph(
                row.getString("name"),
                row.getInt("version"),
                row.getString("yaml"),
                row.getString("deployed_by"),
                Objects.requireNonNull(Tx.instant(row, "deployed_at")),
                Tx.instant(row, "removed_at"));
    }
}
