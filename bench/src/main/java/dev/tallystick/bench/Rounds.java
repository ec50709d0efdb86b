package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Round;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * A warm-up of every contender, then three rounds in which each has its turn, so that a slow minute of the machine hits all of
 * them and not one.
 */
final class Rounds {

    static final int ROUNDS = 3;

    private final Duration length;
    private final Consumer<String> progress;

    Rounds(Duration length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
    }

    Map<Contender, List<Sample>> run(List<Contender> contenders) throws Exception {
        Map<Contender, List<Sample>> samples = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            progress.accept("warm-up  " + contender.name());
            measure(contender, length);
        }
        for (int round = 1; round <= ROUNDS; round++) {
            for (Contender contender : contenders) {
                Sample sample = measure(contender, length);
                progress.accept("round %d  %s: %,.0f a second".formatted(round, contender.name(), sample.perSecond()));
                samples.computeIfAbsent(contender, first -> new ArrayList<>()).add(sample);
            }
        }
        return samples;
    }

    private static Sample measure(Contender contender, Duration length) throws Exception {
        Round round = contender.opener().open(contender.callers());
        List<Calls> calls = new ArrayList<>();
        long begin = System.nanoTime();
        long elapsed;
        try (round;
                ExecutorService callers = Executors.newFixedThreadPool(contender.callers())) {
            List<Future<Calls>> running = new ArrayList<>();
            for (int i = 0; i < contender.callers(); i++) {
                int caller = i;
                running.add(callers.submit(() -> Calls.until(begin + length.toNanos(), round, caller)));
            }
            for (Future<Calls> each : running) {
                calls.add(each.get());
            }
            elapsed = System.nanoTime() - begin;
        }
        long items = calls.stream().mapToLong(Calls::items).sum();
        long[] nanos = calls.stream().flatMapToLong(Calls::nanos).sorted().toArray();
        return new Sample(items * 1e9 / elapsed, percentile(nanos, 0.50), percentile(nanos, 0.99), round.extras(items));
    }

    private static double percentile(long[] sortedNanos, double fraction) {
        if (sortedNanos.length == 0) {
            return Double.NaN;
        }
        return sortedNanos[(int) Math.min(sortedNanos.length - 1L, (long) (sortedNanos.length * fraction))] / 1e6;
    }

    /** What one caller did: how many items, and how long each call took. */
    private record Calls(long items, long[] taken) {

        static Calls until(long deadline, Round round, int caller) throws Exception {
            long[] taken = new long[1 << 12];
            int count = 0;
            long items = 0;
            for (long before = System.nanoTime(); before < deadline; ) {
                items += round.call(caller);
                long after = System.nanoTime();
                if (count == taken.length) {
                    taken = Arrays.copyOf(taken, 2 * count);
                }
                taken[count++] = after - before;
                before = after;
            }
            return new Calls(items, Arrays.copyOf(taken, count));
        }

        LongStream nanos() {
            return Arrays.stream(taken);
        }
    }
}
