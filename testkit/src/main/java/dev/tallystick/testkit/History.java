package dev.tallystick.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What callers asked for and were told, to be held against what a store holds in the end:
 *
 * <ul>
 *   <li>what was acknowledged is present;
 *   <li>nothing is present twice;
 *   <li>what definitely failed is absent;
 *   <li>what ended unknown, or never ended, is present once or not at all;
 *   <li>nothing is present that nobody asked for.
 * </ul>
 *
 * <p>A key may be invoked again after an unknown outcome: one acknowledgement makes it acknowledged, and a failure is
 * definite only if every invocation failed. Thread-safe.
 */
public final class History<K> {

    private final Map<K, Attempts> byKey = new LinkedHashMap<>();

    /**
     * The history of another process, from the lines that it printed: {@code invoked}, {@code acknowledged}, {@code failed}
     * or {@code unknown}, a space, the key. Other lines are passed over.
     */
    public static History<String> ofLines(List<String> lines) {
        History<String> history = new History<>();
        for (String line : lines) {
            int space = line.indexOf(' ');
            String key = line.substring(space + 1);
            switch (line.substring(0, Math.max(0, space))) {
                case "invoked" -> history.invoked(key);
                case "acknowledged" -> history.acknowledged(key);
                case "failed" -> history.failed(key);
                case "unknown" -> history.unknown(key);
                default -> {}
            }
        }
        return history;
    }

    /** To be called before the request leaves. */
    public synchronized void invoked(K key) {
        byKey.computeIfAbsent(key, absent -> new Attempts()).invoked++;
    }

    /** The caller was told that it happened. */
    public synchronized void acknowledged(K key) {
        open(key).acknowledged++;
    }

    /** The caller was told that it did not happen and will not. */
    public synchronized void failed(K key) {
        open(key).failed++;
    }

    /** The caller was told that nobody knows; so it is with an invocation of which nothing more is recorded. */
    public synchronized void unknown(K key) {
        open(key).unknown++;
    }

    /** Compares with the keys found in the store, each as often as it was found. */
    public synchronized List<Violation<K>> violations(Collection<? extends K> present) {
        Map<K, Long> found = present.stream()
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        List<Violation<K>> violations = new ArrayList<>();
        byKey.forEach((key, attempts) -> {
            if (attempts.acknowledged > 0 && !found.containsKey(key)) {
                violations.add(new Lost<>(key));
            }
            if (attempts.failed == attempts.invoked && found.containsKey(key)) {
                violations.add(new FailedYetPresent<>(key));
            }
        });
        found.forEach((key, times) -> {
            if (times > 1) {
                violations.add(new Repeated<>(key, times));
            }
            if (!byKey.containsKey(key)) {
                violations.add(new NeverAskedFor<>(key));
            }
        });
        return Collections.unmodifiableList(violations);
    }

    /** Fails, naming every offending key, unless the store holds what the callers were told. */
    public void assertAgreesWith(Collection<? extends K> present) {
        List<Violation<K>> violations = violations(present);
        if (!violations.isEmpty()) {
            throw new AssertionError(violations.stream()
                    .map(Violation::sentence)
                    .collect(Collectors.joining("\n  ", "the store broke its word (" + summary() + "):\n  ", "")));
        }
    }

    /** How the invocations ended, in numbers. */
    public synchronized String summary() {
        Attempts sum = new Attempts();
        byKey.values().forEach(sum::add);
        return "%d keys, %d invoked, %d acknowledged, %d failed, %d unknown, %d open"
                .formatted(byKey.size(), sum.invoked, sum.acknowledged, sum.failed, sum.unknown, sum.open());
    }

    public synchronized long acknowledgedKeys() {
        return byKey.values().stream()
                .filter(attempts -> attempts.acknowledged > 0)
                .count();
    }

    public synchronized long unknownKeys() {
        return byKey.values().stream().filter(attempts -> attempts.unknown > 0).count();
    }

    private Attempts open(K key) {
        Attempts attempts = byKey.get(key);
        if (attempts == null || attempts.open() == 0) {
            throw new IllegalStateException("an outcome for " + key + ", which has no open invocation");
        }
        return attempts;
    }

    private static final class Attempts {
        int invoked;
        int acknowledged;
        int failed;
        int unknown;

        int open() {
            return invoked - acknowledged - failed - unknown;
        }

        void add(Attempts other) {
            invoked += other.invoked;
            acknowledged += other.acknowledged;
            failed += other.failed;
            unknown += other.unknown;
        }
    }

    /** One way in which a store broke its word. */
    public sealed interface Violation<K> {

        K key();

        String sentence();
    }

    /** Acknowledged, and not there. */
    public record Lost<K>(K key) implements Violation<K> {
        @Override
        public String sentence() {
            return "acknowledged but lost: " + key;
        }
    }

    /** There more than once. */
    public record Repeated<K>(K key, long times) implements Violation<K> {
        @Override
        public String sentence() {
            return "present " + times + " times: " + key;
        }
    }

    /** Reported as a definite failure, and there nevertheless. */
    public record FailedYetPresent<K>(K key) implements Violation<K> {
        @Override
        public String sentence() {
            return "reported as failed but present: " + key;
        }
    }

    /** There although nobody asked for it. */
    public record NeverAskedFor<K>(K key) implements Violation<K> {
        @Override
        public String sentence() {
            return "present but never asked for: " + key;
        }
    }
}
