package dev.tallystick.engine.code;

import dev.tallystick.workflow.MisuseException;
import org.jspecify.annotations.Nullable;

/**
 * The questions of a scope are numbered as they are asked. So one thread must ask them one after the other, in the same order
 * in every run; anything else is refused.
 */
final class QuestionOrder {

    /** The only thread that may ask, set by the first question. */
    private volatile @Nullable Thread asker;

    /** What must end before the next question; completes the sentence "… cannot be asked for". */
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

    /** Refuses all questions until {@link #free}. */
    void occupy(String by) {
        occupation = by;
    }

    void free() {
        occupation = null;
    }
}
