package dev.tallystick.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.EngineSchema;
import dev.tallystick.engine.seal.JobProof;
import dev.tallystick.engine.seal.Receipts;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.engine.seal.ShownFields;
import dev.tallystick.keys.KeySchema;
import dev.tallystick.sql.Database;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import javax.sql.DataSource;

/** A database with many sealed jobs, as closed jobs of one step leave them, in which more are sealed or proven. */
final class SealedJobs {

    /** How many jobs a measured batch seals. */
    static final int BATCH = 1_000;

    private static final int SLAB = 50_000;
    private static final int COMMIT = 50;
    private static final String MESH = "default";

    // Ascending, as the IDs of jobs are.
    private static final String ID = "('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid";

    private final DataSource database;
    private final Path directory;
    private final int filled;
    private long made;

    private SealedJobs(DataSource database, Path directory, int filled) {
        this.database = database;
        this.directory = directory;
        this.filled = filled;
    }

    /** Seals this many jobs. */
    static SealedJobs fill(DataSource database, Path directory, int jobs) throws SQLException {
        SealedJobs all = new SealedJobs(database, directory, jobs);
        try (HikariDataSource session = SealingBeside.single(database)) {
            Database on = Database.on(session);
            KeySchema.migrations().migrate(on);
            EngineSchema.MIGRATIONS.migrate(on);
            try (Sealer sealer = all.sealer(on)) {
                while (all.made < jobs) {
                    int slab = (int) Math.min(SLAB, jobs - all.made);
                    all.queue(all.make(slab), slab);
                    sealer.seal();
                    requireSealed(sealer);
                }
            }
            Setup.run(session, List.of("vacuum analyze"));
        }
        return all;
    }

    private Sealer sealer(Database on) {
        SealSettings settings = SealSettings.in(directory).facts(2 * BATCH);
        return Sealer.open(on, settings, SealingBeside.ORIGIN, CrashPoints.NONE);
    }

    private static void requireSealed(Sealer sealer) {
        if (sealer.backlog().rows() > 0 || sealer.backlog().alarm() != null) {
            throw new IllegalStateException("not sealed: " + sealer.backlog());
        }
    }

    /** Makes closed jobs that are not queued yet, and returns the number of the first. */
    private long make(int jobs) throws SQLException {
        long first = made;
        made += jobs;
        String numbers = " from generate_series(%d, %d) i".formatted(first, made - 1);
        Setup.run(
                database,
                List.of(
                        """
                        insert into tally.job (id, mesh, workflow, version, semaphore, input, output, outcome, closed_by, closed_at)
                        select %1$s, '%2$s', 'steps1', 1, 0, '\"x\"', '\"x\"', 'completed', %1$s, now()
                        """.formatted(ID, MESH) + numbers,
                        """
                        insert into tally.activity (job_id, path, name, kind, ledger)
                        select %1$s, p.path, p.name, p.kind, p.ledger
                        """.formatted(ID) + numbers + """
                        , (values ('', '$main', 'main', 1111100000001), ('1', 'one', 'step', 1111000000001))
                            as p (path, name, kind, ledger)
                        """,
                        """
                        insert into tally.guid (job_id, guid, path, name, ordinal, ledger)
                        select %1$s, gen_random_uuid(), p.path, p.name, 0, p.ledger
                        """.formatted(ID) + numbers + """
                        , (values ('', '$main', 111100000001), ('1', 'one', 11000000001)) as p (path, name, ledger)
                        """,
                        """
                        insert into tally.key (key, mesh, member, door, status, fingerprint, destination, original_id, expires_at)
                        select 'tally:' || i, '%2$s', 'bench', 'accept', 'committed', sha256('x'), 'workflow:steps1', %1$s,
                            now() + interval '30 days'
                        """.formatted(ID, MESH) + numbers));
        return first;
    }

    private static UUID id(long number) {
        return UUID.fromString("00000000-0000-7000-8000-%012x".formatted(number));
    }

    /** Queues jobs as commits of 50 would. */
    private void queue(long first, int jobs) throws SQLException {
        String grouped = "from generate_series(%d, %d) i group by i / %d order by i / %d"
                .formatted(first, first + jobs - 1, COMMIT, COMMIT);
        Setup.run(
                database,
                List.of(
                        "insert into tally.seal_queue (accepted, keys, members) select array_agg(" + ID
                                + " order by i), array_agg('tally:' || i order by i), array_agg('bench'::text order by i) "
                                + grouped,
                        "insert into tally.seal_queue (closed) select array_agg(" + ID + " order by i) " + grouped));
    }

    /** Each call seals one batch. The jobs are there already; queueing them is part of the measured time. */
    Contender.Round batches() throws SQLException {
        return new Batches();
    }

    /** Each call proves a job that is chosen at random. */
    Contender.Round receipts() {
        return new Proving();
    }

    private final class Batches implements Contender.Round {

        private static final int PREPARED = 100;

        private final HikariDataSource session = SealingBeside.single(database);
        private final Sealer sealer = sealer(Database.on(session));
        private final long first;
        private int sealed;

        Batches() throws SQLException {
            this.first = make(PREPARED * BATCH);
            sealer.seal();
        }

        @Override
        public int call(int caller) throws SQLException {
            if (sealed == PREPARED) {
                throw new IllegalStateException("too few jobs for this round: choose fewer seconds");
            }
            queue(first + (long) sealed++ * BATCH, BATCH);
            sealer.seal();
            requireSealed(sealer);
            return 1;
        }

        /** The rest of the prepared jobs stays unsealed. */
        @Override
        public void close() {
            sealer.close();
            session.close();
        }
    }

    private final class Proving implements Contender.Round {

        private final HikariDataSource session = SealingBeside.single(database);
        private final Receipts receipts = new Receipts(Database.on(session));
        private final SplittableRandom random = new SplittableRandom(42);
        private long bytes;

        @Override
        public int call(int caller) {
            UUID job = id(random.nextLong(filled));
            if (!(receipts.prove(MESH, job, ShownFields.ALL) instanceof JobProof.Proven proven)) {
                throw new IllegalStateException("no receipt of " + job);
            }
            bytes += proven.receipt().length;
            return 1;
        }

        @Override
        public Map<String, Double> extras(long items) throws SQLException {
            long[] tables = Setup.numbers(database, """
                    select pg_total_relation_size('tally.sealed_job'), pg_total_relation_size('tally.log_tile'), count(*)
                    from tally.sealed_job
                    """, 3);
            double jobs = tables[2];
            return Map.of(
                    "receipt_bytes",
                    bytes / (double) items,
                    "sealed_job_bytes_per_job",
                    tables[0] / jobs,
                    "log_tile_bytes_per_job",
                    tables[1] / jobs,
                    "log_bytes_per_job",
                    SealingBeside.bytes(SealSettings.in(directory).log()) / jobs);
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
