package dev.tallystick.engine.model;

import dev.tallystick.core.CrashPoint;

/** The points in the engine where a crash matters, besides the commits themselves. */
public enum EngineCrashPoint implements CrashPoint {
    /** The job is durable, its body has not started. */
    ACCEPTED,
    /** A body is leased but has not started. */
    LEASED,
    /** Everything before a step is durable, its work has not started. */
    DISPATCHED,
    /** The work of a step is done, nothing of it is durable. */
    STEP_RUN_UNRECORDED,
    /** An attempt failed, the next one is not counted yet. */
    ATTEMPT_FAILED,
    /** The failure of an attempt is durable, the next one is not counted yet. */
    FAILURE_RECORDED,
    /** The effect and the result of a transaction are durable, the body does not know yet. */
    TRANSACTED,
    /** A child is durable, no engine has been notified. */
    CHILD_STARTED,
    /** The lease is released, the body has not unwound. */
    PARKED,
    /** What fell due is recorded, the jobs it wakes have not been notified. */
    TIMER_RECORDED,
    /** A signal is durable, its sender and its job do not know yet. */
    SIGNALLED,
    /** The cancellation request is durable, no engine has been notified. */
    CANCEL_ASKED,
    /** The start of an undo is durable, nothing is undone yet. */
    UNDO_BEGUN,
    /** The job has continued as a new one, no engine has been notified. */
    CONTINUED,
    /** A transition of a graph is durable, nothing that follows it has started here. */
    GRAPH_MOVED,
    /** The body has returned, its end is not durable. */
    RETURNED,
    /** The job is closed, callers that wait for it do not know yet. */
    CLOSED
}
