package dev.tallystick.ledger;

/** Is told how far a long piece of work has come. Called often, by the thread that does the work. */
public interface Progress {

    Progress UNSEEN = (stage, done, total) -> {};

    /** So many of so many; {@code stage} says of what. */
    void report(String stage, long done, long total);
}
