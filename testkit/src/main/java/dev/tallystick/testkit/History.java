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
 * The requests of callers and their answers, to be compared with the final contents of a store:
 *
 * <ul>
 *   <li>acknowledged keys are present;
 *   <li>no key is present twice;
 *   <li>keys that definitely failed are absent;
 *   <li>keys that ended unknown, or never ended, are present once or not at all;
 *   <li>keys that were never requested are absent.
 * </ul>
 *
 * <p>A key may be invoked again after an unknown outcome: one acknowledgement makes it acknowledged, and a failure is definite
 * only if every invocation failed. Thread-safe.
 */
public final class History<K> {

    private final Map<K, Attempts> byKey = new LinkedHashMap<>();

    /**
     * The history of another process, from its output lines: {@code invoked}, {@code acknowledged}, {@code failed} or
     * {@code unknown}, a space, the key. Other lines are ignored.
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

    /** Call this before the request is sent. */
    public synchronized void invoked(K key) {
        byKey.computeIfAbsent(key, absent -> new Attempts()).invoked++;
    }

    /** The caller learned that it happened. */
    public synchronized void acknowledged(K key) {
        open(key).acknowledged++;
    }

    /** The caller learned that it did not happen and will not. */
    public synchronized void failed(K key) {
        open(key).failed++;
    }

    /** The caller learned that the outcome is unknown; an invocation without a recorded outcome counts the same. */
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

    /** Fails, naming every offending key, unless the store matches the callers' answers. */
    public void assertAgreesWith(Collection<? extends K> present) {
        List<Violation<K>> violations = violations(present);
        if (!violations.isEmpty()) {
            throw new AssertionError(violations.stream()
                    .map(Violation::sentence)
                    .collect(Collectors.joining("\n  ", "the store broke its word (" + summary() + "):\n  ", "")));
        }
    }

    /** The number of invocations by outcome. */
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

    /** One broken promise of a store. */
    public sealed interface Violation<K> {

        K key();

        String sentence();
    }

    /** Acknowledged but absent. */
    public record Lost<K>(K key) implements Violation<K> {
        @Override
        public String sentence() {
            return "acknowledged but lost: " + key;
        }
    }

    /** Present more than once. */
    public record Repeated<K>(K key, long times) implements Violation<K> {
        @Override
        public String sentence() {
            return "present " + times + " times: " + key;
        }
    }

    /** Reported as a definite failure but present. */
    public record FailedYetPresent<K>(K key) implements Violation<K> {
        @Override
        public String sentence() {
            return "reported as failed but present: " + key;
        }
    }

    /** Present but never requested. */
    public record NeverAskedFor<K>(K key) implements Violation<K> {
        @Override
        public String sentence() {
            return "present but never requested: " + key;
        }
    }
}
