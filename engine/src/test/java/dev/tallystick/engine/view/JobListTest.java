package dev.tallystick.engine.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Workbench;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A list of jobs costs what it shows, whatever other meshes and other states hold. */
class JobListTest {

    private static final int MANY = 5_000;

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Database database = Database.on(postgres.dataSource());
    private final JobListStore store = new JobListStore();

    /** Jobs and how many rows of the table were touched to find them. */
    private record Listed(List<JobInfo> jobs, long touched) {}

    @BeforeEach
    void open() {
        database.transact("fill", tx -> {
            tx.update("""
                    insert into tally.job (id, mesh, workflow, version, semaphore, input, outcome, closed_by, closed_at)
                    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, mesh, 'order', 1,
                        case when n < 10 then 1 else 0 end, ''::bytea,
                        case when n < 10 then null when n < 20 then 'failed' else 'completed' end,
                        case when n < 10 then null else gen_random_uuid() end,
                        case when n < 10 then null else now() end
                    from (select n, case when n % 10 = 0 and n <= 10 then 'small' else 'large' end as mesh
                        from generate_series(0, ?) as n) as j
                    """, MANY);
            return tx.update("analyze tally.job");
        });
    }

    private Listed list(JobQuery query) {
        return database.transact("list", tx -> {
            long before = touched(tx);
            List<JobInfo> jobs = store.list(tx, query);
            return new Listed(jobs, touched(tx) - before);
        });
    }

    private static long touched(Tx tx) throws SQLException {
        return tx.first(
                        "select seq_tup_read + idx_tup_fetch as n from pg_stat_xact_user_tables where relid = 'tally.job'::regclass",
                        row -> row.getLong("n"))
                .orElse(0L);
    }

    @Test
    void the_list_of_a_small_mesh_does_not_walk_the_jobs_of_another() {
        Listed all = list(JobQuery.of("small"));

        assertThat(all.jobs()).hasSize(2);
        assertThat(all.touched()).isLessThan(20);
    }

    @Test
    void the_open_jobs_of_a_mesh_are_found_without_its_closed_ones() {
        Listed open = list(JobQuery.of("large").status(JobQuery.OPEN));

        assertThat(open.jobs()).hasSize(9);
        assertThat(open.touched()).isLessThan(20);
    }

    @Test
    void the_failed_jobs_of_a_mesh_are_found_without_those_that_completed() {
        Listed failed = list(JobQuery.of("large").status("failed"));

        assertThat(failed.jobs()).hasSize(9);
        assertThat(failed.touched()).isLessThan(20);
    }

    @Test
    void a_page_touches_what_it_shows_and_comes_newest_first() {
        Listed page = list(JobQuery.of("large").limit(50));

        assertThat(page.jobs()).hasSize(50).isSortedAccordingTo((a, b) -> b.id().compareTo(a.id()));
        assertThat(page.touched()).isLessThan(200);
        Listed next =
                list(JobQuery.of("large").limit(50).after(page.jobs().getLast().id()));
        assertThat(next.jobs()).hasSize(50).doesNotContainAnyElementsOf(page.jobs());
    }
}
