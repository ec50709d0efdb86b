package dev.tallystick.bench;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The engine with and without sealing, in turns, each on a database of its own; and batches and receipts of a log with many
 * jobs.
 */
final class SealSuite implements Suite {

    private static final int FEW = 10_000;
    private static final int MANY = 1_000_000;
    private static final int CALLERS = 32;
    private static final String BATCH_OF_FEW = "seal.batch.10k";

    @Override
    public List<Contender> contenders(DataSource server) throws Exception {
        Path log = Scratch.directory();
        TallyPeer unsealed = new TallyPeer(database(server, "unsealed"));
        TallyPeer sealed = new TallyPeer(database(server, "sealed"), database -> new SealingBeside(database, log));
        Filled few = new Filled(server, "few", FEW);
        Filled many = new Filled(server, "many", MANY);
        return List.of(
                unsealed.workflow(1, CALLERS).named("unsealed.1step.c32"),
                sealed.workflow(1, CALLERS).named("sealed.1step.c32").against("unsealed.1step.c32"),
                unsealed.batch("unsealed.batch100"),
                sealed.batch("sealed.batch100").against("unsealed.batch100"),
                new Contender(BATCH_OF_FEW, 1, callers -> few.jobs().batches()),
                new Contender("seal.batch.1m", 1, callers -> many.jobs().batches()).against(BATCH_OF_FEW),
                new Contender("seal.receipt.1m", 1, callers -> many.jobs().receipts()));
    }

    private static DataSource database(DataSource server, String name) throws SQLException {
        Setup.run(server, List.of("create database " + name));
        return Setup.in(server, name);
    }

    /** Filled when it is first needed: a run may measure other rows only. */
    private static final class Filled {

        private final DataSource server;
        private final String name;
        private final int count;
        private @Nullable SealedJobs jobs;

        Filled(DataSource server, String name, int count) {
            this.server = server;
            this.name = name;
            this.count = count;
        }

        SealedJobs jobs() throws Exception {
            SealedJobs filled = jobs;
            if (filled == null) {
                filled = SealedJobs.fill(database(server, name), Scratch.directory(), count);
                jobs = filled;
            }
            return filled;
        }
    }
}
