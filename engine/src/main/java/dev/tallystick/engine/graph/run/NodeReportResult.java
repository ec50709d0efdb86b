package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.LeasedWork;
import dev.tallystick.workflow.Closed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a {@link NodeReport}. */
public sealed interface NodeReportResult {

    /**
     * The step is durable, through this call or an earlier one.
     *
     * @param closed how the job ended, if this ended it
     * @param workflow the workflow of the job that ended, with its version
     * @param engineIsDue whether there is now something for an engine to do
     * @param leased resulting work that the submitter has leased
     */
    record Done(@Nullable Closed closed, @Nullable String workflow, List<LeasedWork> leased, boolean engineIsDue)
            implements NodeReportResult {

        /** The step did not close the job. */
        Done(List<LeasedWork> leased, boolean engineIsDue) {
            this(null, null, leased, engineIsDue);
        }
    }

    /** The step is recorded but changes nothing, because the job had closed. */
    record JobClosed() implements NodeReportResult {}

    /** Nothing was written: the same worker reported another result for the same attempt earlier, and that one stands. */
    record AnotherResult() implements NodeReportResult {}

    /** Nothing was written: another process holds the lease. */
    record LeaseLost() implements NodeReportResult {}
}
