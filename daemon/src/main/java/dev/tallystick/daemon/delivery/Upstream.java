package dev.tallystick.daemon.delivery;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.daemon.outbox.OutboxRow;
import java.util.List;

/** The server, as the courier needs it. No call throws for what a network or a server does. */
public interface Upstream {

    /** The result of asking the server who it is. */
    sealed interface Meeting {

        record Met(ServerFacts facts) implements Meeting {}

        /** It cannot be reached, or cannot answer now. */
        record Unreachable(String why) implements Meeting {}

        /** It cannot do what the daemon needs. */
        record Unsuitable(String why) implements Meeting {}

        /** It refuses to talk to this daemon. */
        record Refused(ProblemCode code, String detail) implements Meeting {}
    }

    /** Asks the server who it is, who the daemon is to it, and what it promises. */
    Meeting meet();

    /** Says who the daemon is, to a server that is the right one. {@link Meeting.Met} if it is welcome. */
    Meeting introduce(ServerFacts facts);

    /** Sends rows of one destination in their order. One outcome for each, in the same order. */
    List<SendOutcome> send(List<OutboxRow> rows);
}
