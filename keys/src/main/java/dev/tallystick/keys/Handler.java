package dev.tallystick.keys;

/**
 * Work whose effect is outside the database: a call to a payment provider, an e-mail.
 *
 * @param <X> what it may throw; {@link RuntimeException} if nothing checked
 */
@FunctionalInterface
public interface Handler<X extends Exception> {

    /**
     * Does the work and says what came of it. An exception says that nobody knows: return {@link Verdict#release()} when it is
     * certain that nothing happened.
     */
    Verdict handle() throws X;
}
