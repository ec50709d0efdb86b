package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/**
 * Questions of a scope are numbered as they are asked. So they are asked one after the other, by one thread, in the same order in
 * every run; anything else is refused.
 */
final class QuestionOrder {

    /** The only thread that may ask, once one has. */
    private volatile @Nullable Thread asker;

    /** What has to end before the next question; completes the sentence "… cannot be asked for". */
    private volatile @Nullable String occupation;

    void demandTurn(String question) {
        String occupied = occupation;
        if (occupied != null) {
            throw new MisuseException("'" + question + "' cannot be asked for " + occupied);
        }
        Thread current = Thread.currentThread();
        if (asker == null) {
            asker = current;
        } else if (!current.equals(asker)) {
            throw new MisuseException(
                    "'" + question + "' cannot be asked for by a thread that the workflow has started:"
                            + " use ctx.all or ctx.any to do things side by side");
        }
    }

    /** From now on nothing can be asked, until this is {@link #free}. */
    void occupy(String by) {
        occupation = by;
    }

    void free() {
        occupation = null;
    }
}
