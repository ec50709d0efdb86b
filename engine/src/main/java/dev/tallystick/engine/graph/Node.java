package dev.tallystick.engine.graph;

import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A node of a {@link Graph}: what happens there. */
public sealed interface Node {

    /** The most signals that one hook takes. */
    int MAX_SIGNALS = 100;

    /** The node's name in the graph, in expressions and in the ledgers. */
    String name();

    /** Whether the node waits for time to pass or for something from outside. */
    default boolean waits() {
        return this instanceof Worker || this instanceof Await;
    }

    /** The name of its kind, in YAML and in the database. */
    default String kind() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Where every job begins. Its output is the job's input. */
    record Trigger(String name) implements Node {}

    /**
     * Work for a worker.
     *
     * @param by who does it
     * @param worker the name under which the worker is registered, or of the topic or participant
     * @param input the worker's input
     */
    record Worker(String name, By by, String worker, Expression input, Retry retry) implements Node {

        /** Who does the work. */
        public enum By {
            /** A process that runs this workflow and has registered the worker. */
            WORKER,
            /** Any process that serves the topic. */
            TOPIC,
            /** A participant of the exchange, which has its own database. */
            PARTICIPANT;

            /** The name in YAML. */
            public String word() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }

    /** Runs another workflow as a child job and waits for its output. */
    record Await(String name, String workflow, Expression input) implements Node {}

    /**
     * Waits for signals, for people, for some time, or for the first of these. A hook that waits for nothing is a target for
     * cycles.
     *
     * @param signal the signal that it takes, or null
     * @param timer the longest duration of each wait, or null
     * @param takes how many signals it takes; what follows runs once for each of them, in its own dimension
     * @param task what it asks people, whose answer it then takes; or null
     */
    record Hook(
            String name,
            @Nullable String signal,
            @Nullable Duration timer,
            int takes,
            @Nullable NodeAsk task) implements Node {

        /** A hook without a task. */
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

        /** Whether it needs a signal, an answer or a timer. */
        public boolean isPosted() {
            return signal != null || timer != null || task != null;
        }
    }

    /** Goes back to an earlier node, which is entered again; what follows that node runs in the next dimension. */
    record Cycle(String name, String back) implements Node {}

    /**
     * Sends a signal to another job.
     *
     * @param job evaluates to the ID of that job
     * @param payload the payload of the signal
     */
    record Signal(String name, Expression job, String signal, Expression payload) implements Node {}

    /**
     * Ends the job immediately, whatever is still open.
     *
     * @param reason the reason for an outcome other than completed
     */
    record Interrupt(
            String name, JobOutcome outcome, @Nullable Expression reason) implements Node {}
}
