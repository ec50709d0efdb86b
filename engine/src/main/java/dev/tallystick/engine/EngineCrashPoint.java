package dev.tallystick.engine;

import dev.tallystick.core.CrashPoint;

/** Where dying matters in the engine, beside the commits themselves. */
public enum EngineCrashPoint implements CrashPoint {
    /** The job is durable, its body has not begun. */
    ACCEPTED,
    /** A body was leased, and has not begun. */
    LEASED,
    /** What came before a step is durable, its work has not begun. */
    DISPATCHED,
    /** The work of a step is done, nothing of it is durable. */
    WORKED,
    /** An attempt failed, and the next one is not counted. */
    ATTEMPT_FAILED,
    /** That an attempt failed is durable, and the next one is not counted. */
    FAILURE_RECORDED,
    /** The effect and the result of a transaction are durable, the body does not know. */
    TRANSACTED,
    /** A child is durable, and nobody was told that it is due. */
    CHILD_STARTED,
    /** The lease was given back, the body has not unwound. */
    PARKED,
    /** What was due is recorded, and nobody was told who may go on. */
    FIRED,
    /** A signal is durable, its sender and its job do not know. */
    SIGNALLED,
    /** The end of a job was asked for, and nobody was told. */
    CANCEL_ASKED,
    /** That what a failed body has done is to be undone is durable, and nothing of it is undone. */
    UNDO_BEGUN,
    /** The job has gone on as a new one, and nobody was told that it is due. */
    CONTINUED,
    /** A transition of a graph is durable, and nothing of what it leads to has begun here. */
    GRAPH_MOVED,
    /** The body has returned, its end is not durable. */
    RETURNED,
    /** The job is closed, and nobody who waits for it knows. */
    CLOSED
}
