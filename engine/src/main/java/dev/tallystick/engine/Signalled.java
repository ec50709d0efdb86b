package dev.tallystick.engine;

/** What came of sending a signal. */
public sealed interface Signalled {

    /** The signal is with the job, since this call or since an earlier one with the same key. */
    record Kept(boolean repeated) implements Signalled {}

    /** Nothing was written: the job has closed. */
    record JobClosed() implements Signalled {}

    /** Nothing was written: there is no such job. */
    record NoSuchJob() implements Signalled {}
}
