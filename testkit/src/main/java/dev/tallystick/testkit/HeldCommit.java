package dev.tallystick.testkit;

/** A COMMIT whose client has lost its connection while the message was on its way. See {@link CommitFate#HOLD}. */
public interface HeldCommit {

    /**
     * Lets the COMMIT arrive and waits for the server's answer.
     *
     * @return whether the server committed; false also if its session had ended in the meantime
     */
    boolean release();

    /** The COMMIT is lost for good: ends the server's session without it. */
    void drop();
}
