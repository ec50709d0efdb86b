package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts arrivals at the points of one enum, to find points that no test reaches any more. It also shows a crash matrix how
 * often a scenario passes a point, and thus how many crashes to try. Thread-safe.
 */
public final class CrashCoverage<P extends Enum<P> & CrashPoint> {

    private final List<P> declared;
    private final Map<CrashPoint, Integer> arrivals = new ConcurrentHashMap<>();

    private CrashCoverage(List<P> declared) {
        this.declared = declared;
    }

    public static <P extends Enum<P> & CrashPoint> CrashCoverage<P> of(Class<P> points) {
        return new CrashCoverage<>(Arrays.asList(points.getEnumConstants()));
    }

    /** Counts every arrival and passes it on to {@code next}. */
    public CrashPoints counting(CrashPoints next) {
        return point -> {
            reached(point);
            next.reached(point);
        };
    }

    /** Counts an arrival elsewhere, such as in a child JVM that halted at its point. */
    public void reached(CrashPoint point) {
        arrivals.merge(point, 1, Integer::sum);
    }

    public int arrivals(P point) {
        return arrivals.getOrDefault(point, 0);
    }

    public List<P> unreached() {
        return declared.stream().filter(point -> arrivals(point) == 0).toList();
    }

    /** Fails, naming them, if declared points were never reached. */
    public void assertComplete() {
        if (!unreached().isEmpty()) {
            throw new AssertionError("crash points that no test reaches: " + unreached());
        }
    }
}
