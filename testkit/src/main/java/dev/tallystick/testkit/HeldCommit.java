package dev.tallystick.testkit;

/** A COMMIT whose client lost its connection while the message was in transit. See {@link CommitFate#HOLD}. */
public interface HeldCommit {

    /**
     * Forwards the COMMIT and waits for the server's reply.
     *
     * @return whether the server committed; also false if its session has ended in the meantime
     */
    boolean release();

    /** The COMMIT is lost for good: ends the server's session without it. */
    void drop();
}
