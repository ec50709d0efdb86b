package dev.tallystick.engine.crash;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Submission;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workflow that a process begins and another one may have to finish. What is done to the job from outside is repeated after
 * the crash, under the same keys, as a caller without an answer does.
 */
public interface Scenario {

    String name();

    /** Each case is a workflow of its own name, so that only the engines that are meant to can take it. */
    void register(Engine engine, String workflow);

    default Submission submission(Workbench workbench, String workflow) {
        return workbench.submission(workflow, workflow, "input");
    }

    /** What comes to the job from outside. */
    void act(Engine engine, JobId job);

    JobOutcome outcome();

    @Nullable
    String result();

    /** How many jobs the job begins. */
    int children();

    /** How those jobs end. */
    default JobOutcome childOutcome() {
        return JobOutcome.COMPLETED;
    }

    /** How many jobs of its workflow there are in the end. */
    default int jobs() {
        return 1;
    }

    /** How many rows of its own it writes into the table {@code effect}. */
    int effects();

    /** Whether these are the activities that the job leaves, each of them once and at its place. */
    boolean leaves(List<? extends String> places);

    /**
     * Whether the activities have the markers that they should: of Leg 1, work, children and completion.
     *
     * @param marked path, name and markers of each
     */
    default boolean marks(List<? extends String> marked) {
        return true;
    }

    /** Submits and acts; a caller whose engine dies gets no answer, or none to rely on. */
    default void begin(Workbench workbench, Engine engine, String workflow) {
        try {
            act(engine, workbench.submit(engine, submission(workbench, workflow)));
        } catch (TransactionException e) {
            // As a caller sees it who is cut off.
        }
    }

    static Stream<Scenario> all() {
        return Stream.concat(Stream.of(CrashScenario.values()), Stream.of(GraphCrashScenario.values()));
    }

    static Scenario named(String name) {
        return all().filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
