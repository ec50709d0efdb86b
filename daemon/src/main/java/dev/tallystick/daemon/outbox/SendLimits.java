package dev.tallystick.daemon.outbox;

/**
 * What the server takes, as far as the daemon knows: a send beyond it is refused here, before it is kept.
 *
 * @param bodyBytes of a message, or of the input of a job
 * @param requestBytes of the request that carries it
 */
public record SendLimits(int bodyBytes, int requestBytes) {

    /** The limits of a server that is set up in the usual way, for a daemon that has not met its server yet. */
    public static final SendLimits USUAL = new SendLimits(1024 * 1024, 1024 * 1024 + 256 * 1024);

    /** More than this the daemon does not take, whatever the server says. */
    private static final int LARGEST = 64 * 1024 * 1024;

    static final int MENTIONS = 100;

    /** A server reads JSON to a depth of 128, and a batch adds three levels around a message. */
    public static final int DEPTH = 120;

    public SendLimits {
        if (bodyBytes < 1 || requestBytes < 1 || bodyBytes > LARGEST || requestBytes > LARGEST) {
            throw new IllegalArgumentException("limits of a server are from 1 to " + LARGEST);
        }
    }

    /** The limits that a server announces, as far as the daemon follows it. */
    public static SendLimits announced(int bodyBytes, int requestBytes) {
        return new SendLimits(Math.clamp(bodyBytes, 1, LARGEST), Math.clamp(requestBytes, 1, LARGEST));
    }
}
