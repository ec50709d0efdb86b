package dev.tallystick.engine.submit;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.record.JobAcceptor;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts jobs in the caller's transactions, in which the caller has already bound their keys. A started job begins to run when
 * {@link #started} is called after the commit, or a little later on its own if that call never comes. Thread-safe.
 */
public final class JobStarter {

    private final JobMaker maker;
    private final JobAcceptor jobAcceptor;
    private final BiFunction<JobId, Submission, NewJob> plan;
    private final Consumer<NewJob> begin;

    /**
     * Belongs to an engine.
     *
     * @param plan makes the job of a submission
     * @param begin called when a job has been started
     */
    public JobStarter(
            JobMaker maker,
            JobAcceptor jobAcceptor,
            BiFunction<JobId, Submission, NewJob> plan,
            Consumer<NewJob> begin) {
        this.maker = maker;
        this.jobAcceptor = jobAcceptor;
        this.plan = plan;
        this.begin = begin;
    }

    /**
     * The version that a new job would run.
     *
     * @param wanted a specific version, or null for the newest
     * @throws UnknownWorkflowException if the workflow, or that version of it, is not known here
     */
    public int version(String workflow, @Nullable Integer wanted) {
        return maker.version(workflow, wanted).version();
    }

    /**
     * Makes the job of a submission that has no key of its own. If its workflow has a limit, this calls the limit's key
     * function, which is user code: do not call it inside a transaction or on a shared thread.
     *
     * @param id new for every job; the caller uses it again to repeat a failed transaction
     * @param traceParent its incoming trace context (W3C); null for none
     * @throws UnknownWorkflowException if the workflow, or that version of it, is not known here
     * @throws IllegalArgumentException if the limit has no key for this input
     */
    public NewJob plan(JobId id, Submission submission, @Nullable String traceParent) {
        return plan.apply(id, submission).traced(traceParent);
    }

    /**
     * A workflow version that can be submitted here.
     *
     * @param graph null for code
     */
    public record Known(
            String workflow, int version, @Nullable Graph graph) {}

    /** All known versions, by name and version. */
    public List<Known> known() {
        return maker.known();
    }

    /** Writes the jobs. Leaves jobs that already exist unchanged. */
    public void start(Tx tx, List<NewJob> jobs) throws SQLException {
        jobAcceptor.start(tx, jobs);
    }

    /** Call after the job's transaction has committed. Fast and optional. */
    public void started(NewJob job) {
        begin.accept(job);
    }
}
