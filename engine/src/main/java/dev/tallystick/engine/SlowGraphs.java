package dev.tallystick.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The graphs that lately took long to say how their jobs go on, and jobs of theirs. Their steps are taken each by itself, so that
 * those of others, who would share a commit with them, do not wait. Thread-safe.
 */
final class SlowGraphs {

    private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MAX_JOBS = 10_000;

    private final Map<String, Long> graphs = new ConcurrentHashMap<>();
    private final Map<JobId, Long> jobs = new ConcurrentHashMap<>();

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

    private static boolean isRecent(long since) {
        return System.nanoTime() - since < KEPT_NANOS;
    }
}
