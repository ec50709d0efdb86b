package dev.tallystick.engine.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The jobs of a workflow that share a limit. In each version they wait in two queues: one for jobs that have not begun, which
 * the rate holds back, and one for jobs that have.
 */
public record Lane(String mesh, String workflow, String key) {

    private static final Pattern QUEUE = Pattern.compile("(?<base>[^@]+@\\d+)\\[.*](?<begun>\\*?)", Pattern.DOTALL);

    /** The queue of jobs that have not begun. */
    static String queueOf(String workflow, int version, String key) {
        return Queues.of(workflow, version) + "[" + key + "]";
    }

    /** The queue name without its lane: the workflow and version. */
    public static String baseOf(String queue) {
        return parse(queue).group("base");
    }

    public static boolean isBegun(String queue) {
        return !parse(queue).group("begun").isEmpty();
    }

    private static Matcher parse(String queue) {
        Matcher parts = QUEUE.matcher(queue);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no queue of a lane: " + queue);
        }
        return parts;
    }
}
