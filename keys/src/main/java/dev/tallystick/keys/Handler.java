package dev.tallystick.keys;

/**
 * Work whose effect is outside the database: a call to a payment provider, an e-mail.
 *
 * @param <X> the checked exception that it may throw; {@link RuntimeException} if none
 */
@FunctionalInterface
public interface Handler<X extends Exception> {

    /**
     * Does the work and returns the verdict. An exception means that the outcome is unknown; return {@link Verdict#release()}
     * if it is certain that nothing happened.
     */
    Verdict handle() throws X;
}
