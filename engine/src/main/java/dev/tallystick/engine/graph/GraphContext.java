package dev.tallystick.engine.graph;

/** The names under which expressions find the data of a job, besides those of the nodes. */
public final class GraphContext {

    /** The job's input. */
    public static final String INPUT = "input";

    /** In the output of a hook: the signal's payload. */
    public static final String SIGNAL = "signal";

    /** In the output of a hook that asked people: their answer. */
    public static final String ANSWER = "answer";

    /** In the output of a hook: whether the wait timed out. */
    public static final String TIMED_OUT = "timed_out";

    /** In the output of a hook: how many events it had received before. */
    public static final String ROUND = "round";

    /** In the output of a node that failed for good and whose failure the graph handles: the reason. */
    public static final String ERROR = "error";

    /** In the stored input of a signal node: the receiving job. */
    public static final String JOB = "job";

    /** In the stored input of a signal node: the payload. */
    public static final String PAYLOAD = "payload";

    private GraphContext() {}
}
