package dev.tallystick.engine.graph.run;

import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The graphs that recently took long to plan a step, and some of their jobs. Their steps run one at a time, so that steps of
 * other graphs do not wait in a shared commit. Thread-safe.
 */
public final class SlowGraphs {

    private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MAX_JOBS = 10_000;

    /** A codec that waits for ever leaves a thread behind at every try. */
    static final int MAX_STARVED = 5;

    private final Map<String, Long> graphs = new ConcurrentHashMap<>();
    private final Map<JobId, Long> jobs = new ConcurrentHashMap<>();
    private final Map<JobId, Integer> starved = new ConcurrentHashMap<>();

    void add(String graph) {
        graphs.put(graph, System.nanoTime());
    }

    boolean has(String graph) {
        Long since = graphs.get(graph);
        return since != null && (isRecent(since) || !graphs.remove(graph, since));
    }

    void add(JobId job) {
        if (jobs.size() >= MAX_JOBS) {
            jobs.clear();
        }
        jobs.put(job, System.nanoTime());
    }

    boolean has(JobId job) {
        Long since = jobs.get(job);
        return since != null && (isRecent(since) || !jobs.remove(job, since));
    }

    /** Notes that a job's plan hardly had a processor; false if that has happened too often in a row. */
    boolean mayStarve(JobId job) {
        if (starved.size() >= MAX_JOBS) {
            starved.clear();
        }
        return starved.merge(job, 1, Integer::sum) <= MAX_STARVED;
    }

    void planned(JobId job) {
        starved.remove(job);
    }

    private static boolean isRecent(long since) {
        return System.nanoTime() - since < KEPT_NANOS;
    }
}
