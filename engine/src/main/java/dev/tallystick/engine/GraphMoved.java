package dev.tallystick.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of a {@link GraphStep}. */
sealed interface GraphMoved {

    /**
     * It is durable, since this call or since an earlier one.
     *
     * @param closed how the job ended, if it did by this
     * @param workflow of the job that ended, with its version
     * @param engineIsDue whether there is something now for an engine to do
     * @param leased work that came of it and that the one who brought it has leased
     */
    record Done(@Nullable Closed closed, @Nullable String workflow, List<LeasedWork> leased, boolean engineIsDue)
            implements GraphMoved {

        /** The job has not closed by this. */
        Done(List<LeasedWork> leased, boolean engineIsDue) {
            this(null, null, leased, engineIsDue);
        }
    }

    /** It is recorded and changes nothing, for the job had closed. */
    record JobClosed() implements GraphMoved {}

    /** Nothing was written: the same worker has said something else of the same attempt, and that stands. */
    record AnotherResult() implements GraphMoved {}

    /** Nothing was written: somebody else has the lease. */
    record LeaseLost() implements GraphMoved {}
}
