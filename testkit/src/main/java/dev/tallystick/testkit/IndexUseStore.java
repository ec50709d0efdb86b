package dev.tallystick.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Checks that statements which look up rows by key really use the index. Postgres plans a statement by the current table
 * sizes, and may choose for an empty table a plan that is ruinous for a full one.
 */
public record IndexUseStore(DataSource source) {

    private static final String KEEP_STATISTICS_OLD = """
            do $$
            declare
                t record;
            begin
                for t in select tablename from pg_tables where schemaname = 'tally' loop
                    execute format('alter table tally.%I set (autovacuum_enabled = false)', t.tablename);
                end loop;
            end
            $$
            """;

    // A lookup may read a few versions of its row, and Postgres may read a small table as a whole.
    private static final String WALKED = """
            select i.relname || '.' || i.indexrelname || ': ' || i.idx_scan || ' scans read ' || i.idx_tup_read as walked
            from pg_stat_user_indexes i
            join pg_index x on x.indexrelid = i.indexrelid
            where i.schemaname = 'tally' and x.indisprimary and i.idx_tup_read > 20 * i.idx_scan + 100
            """;

    private static final String OTHERS = """
            select 1
            from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
            """;

    /** From now on Postgres believes that the tables keep their current size. */
    public void freeze() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(KEEP_STATISTICS_OLD);
            statement.execute("vacuum analyze");
        }
    }

    /**
     * The primary keys that were read in long scans. Waits until all other sessions have ended: only then are their statistics
     * complete.
     */
    public List<String> walkedPrimaryKeys() throws SQLException {
        Eventually.holds("the other sessions have ended", () -> read(OTHERS).isEmpty());
        return read(WALKED);
    }

    private List<String> read(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> read = new ArrayList<>();
            while (rows.next()) {
                read.add(rows.getString(1));
            }
            return read;
        }
    }
}
