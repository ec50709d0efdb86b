package dev.tallystick.engine.record;

import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the trace contexts of jobs that begin at the same moment in one batch. Writes nothing. */
final class TraceReader implements Primitive<JobId, Optional<String>> {

    private final TraceStore store = new TraceStore();

    @Override
    public String name() {
        return "read traces";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Object orderKey(JobId job) {
        return job;
    }

    @Override
    public List<@Nullable Optional<String>> apply(Tx tx, List<JobId> jobs) throws SQLException {
        Map<JobId, String> found = store.of(tx, jobs);
        List<@Nullable Optional<String>> answers = new ArrayList<>(jobs.size());
        jobs.forEach(job -> answers.add(Optional.ofNullable(found.get(job))));
        return answers;
    }
}
