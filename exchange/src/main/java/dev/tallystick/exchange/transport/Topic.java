package dev.tallystick.exchange.transport;

import java.util.Locale;

/** The two topics; a message on one of them is addressed to a subject, the participant that receives it. */
public enum Topic {
    /** From producers to the consumer that is the subject. */
    POSTINGS,
    /** From consumers to the producer that is the subject. */
    RESULTS;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
