package dev.tallystick.workflow;

/** The result of sending a signal. */
public sealed interface Signalled {

    /** The job has the signal, from this call or from an earlier one with the same key. */
    record Kept(boolean repeated) implements Signalled {}

    /** Nothing was written: the job has closed. */
    record JobClosed() implements Signalled {}

    /** Nothing was written: the job does not exist. */
    record NoSuchJob() implements Signalled {}
}
