package dev.tallystick.testkit;

/** What a {@link TcpProxy} does with a COMMIT that it sees. To the client, all but the first look the same. */
public enum CommitFate {

    /** The COMMIT and its answer pass. */
    FORWARD,

    /** The server executes the COMMIT and answers; the answer is swallowed and the connection cut. It has committed. */
    LOSE_REPLY,

    /** The connection is cut and the COMMIT never forwarded. It will never commit. */
    CUT_BEFORE,

    /**
     * The client's connection is cut while the COMMIT is still on its way: it waits as a {@link HeldCommit}, its session and
     * its locks alive, until the test releases or drops it.
     */
    HOLD
}
