package dev.tallystick.testkit;

/** What a {@link TcpProxy} does with a COMMIT. To the client, all but the first look the same. */
public enum CommitFate {

    /** The COMMIT and its reply pass. */
    FORWARD,

    /** The server executes the COMMIT and replies; the proxy drops the reply and cuts the connection. It has committed. */
    LOSE_REPLY,

    /** The proxy cuts the connection and never forwards the COMMIT. It will never commit. */
    CUT_BEFORE,

    /**
     * The proxy cuts the client's connection while the COMMIT is still in transit: it waits as a {@link HeldCommit}, with its
     * session and its locks alive, until the test releases or drops it.
     */
    HOLD
}
