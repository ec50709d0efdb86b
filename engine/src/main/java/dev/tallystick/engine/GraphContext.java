package dev.tallystick.engine;

/** The names under which expressions find what a job holds, beside those of the nodes. */
final class GraphContext {

    /** The job's input. */
    static final String INPUT = "input";

    /** In the output of a hook: what the signal brought. */
    static final String SIGNAL = "signal";

    /** In the output of a hook that asked people: what they answered. */
    static final String ANSWER = "answer";

    /** In the output of a hook: whether time was up before a signal came. */
    static final String TIMED_OUT = "timed_out";

    /** In the output of a hook: how often it had been told something before. */
    static final String ROUND = "round";

    /** In the output of a node that failed for good, where the graph goes on from that: why it did. */
    static final String ERROR = "error";

    /** In what a signal node keeps for its sending: the job it goes to. */
    static final String JOB = "job";

    /** In what a signal node keeps for its sending: what it brings. */
    static final String PAYLOAD = "payload";

    private GraphContext() {}
}
