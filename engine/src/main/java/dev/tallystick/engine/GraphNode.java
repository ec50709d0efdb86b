package dev.tallystick.engine;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What happens at one place of a {@link Graph}. */
public sealed interface GraphNode {

    /** At most so many signals are taken by one hook. */
    int MAX_SIGNALS = 100;

    /** How the node is called: in the graph, in expressions and in the ledgers. */
    String name();

    /** Whether time passes here, or something from outside has to come. */
    default boolean waits() {
        return this instanceof Worker || this instanceof Await;
    }

    /** The word for what it is, in YAML and in the database. */
    default String kind() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Where every job begins. Its output is the job's input. */
    record Trigger(String name) implements GraphNode {}

    /**
     * Work that a worker does.
     *
     * @param worker the name that the worker is registered under
     * @param topic whether any process may take it that serves {@code worker} as a topic, instead of one that runs this workflow
     * @param input what the worker gets
     */
    record Worker(String name, String worker, boolean topic, Expression input, Retry retry) implements GraphNode {}

    /** Runs another workflow as a job of its own and waits for its output. */
    record Await(String name, String workflow, Expression input) implements GraphNode {}

    /**
     * Waits for signals, for people, for some time, or for whichever comes first. One that waits for nothing is a place to cycle
     * back to.
     *
     * @param signal which signal it takes, or null
     * @param timer how long each wait lasts at most, or null
     * @param takes how many signals; what follows runs once for each of them, in a dimension of its own
     * @param task what it asks people, whose answer it takes then; or null
     */
    record Hook(
            String name,
            @Nullable String signal,
            @Nullable Duration timer,
            int takes,
            @Nullable GraphAsk task) implements GraphNode {

        /** One that asks nobody. */
        public Hook(String name, @Nullable String signal, @Nullable Duration timer, int takes) {
            this(name, signal, timer, takes, null);
        }

        public Hook {
            if (takes < 1 || takes > MAX_SIGNALS) {
                throw new IllegalArgumentException(
                        "node '" + name + "': takes must be between 1 and " + MAX_SIGNALS + ", got " + takes);
            }
            if (timer != null && timer.isNegative()) {
                throw new IllegalArgumentException("node '" + name + "': a timer cannot be negative, got " + timer);
            }
        }

        @Override
        public boolean waits() {
            return isPosted() && !Duration.ZERO.equals(timer);
        }

        /** Whether somebody has to do something for it: to send a signal, to answer, or to look at the clock. */
        boolean isPosted() {
            return signal != null || timer != null || task != null;
        }
    }

    /** Goes back to a node that lies before it, which is entered once more; what follows it runs in the next dimension. */
    record Cycle(String name, String back) implements GraphNode {}

    /**
     * Sends a signal to another job.
     *
     * @param job comes to the id of that job
     * @param payload what is sent
     */
    record Signal(String name, Expression job, String signal, Expression payload) implements GraphNode {}

    /**
     * Ends the job here and now, whatever is still open.
     *
     * @param reason why, for an outcome other than completed
     */
    record Interrupt(
            String name, JobOutcome outcome, @Nullable Expression reason) implements GraphNode {}
}
