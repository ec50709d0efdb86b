package dev.tallystick.testkit;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Decides the fate of each COMMIT. Called for one at a time, in the order of arrival, so it may keep state and draw from one
 * {@link Randomness}; it may also act at that very moment, such as kill a child.
 */
@FunctionalInterface
public interface CommitPolicy {

    CommitFate fateOf(Commit commit);

    static CommitPolicy always(CommitFate fate) {
        return commit -> fate;
    }

    /** The next COMMIT only; later ones pass. */
    static CommitPolicy next(CommitFate fate) {
        return nextOf(commit -> true, fate);
    }

    /** The next COMMIT of a transaction that has a statement with this text. */
    static CommitPolicy nextMentioning(String text, CommitFate fate) {
        return nextOf(commit -> commit.mentions(text), fate);
    }

    static CommitPolicy everyNth(int n, CommitFate fate) {
        return commit -> commit.ordinal() % n == 0 ? fate : CommitFate.FORWARD;
    }

    static CommitPolicy withProbability(double probability, CommitFate fate, Randomness random) {
        return commit -> random.chance(probability) ? fate : CommitFate.FORWARD;
    }

    private static CommitPolicy nextOf(Predicate<Commit> which, CommitFate fate) {
        AtomicBoolean used = new AtomicBoolean();
        return commit -> which.test(commit) && used.compareAndSet(false, true) ? fate : CommitFate.FORWARD;
    }
}
