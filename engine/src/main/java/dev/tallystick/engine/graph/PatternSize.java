package dev.tallystick.engine.graph;

import java.util.ArrayDeque;
import java.util.Deque;

/** The size of a pattern with its repetitions written out, which determines the cost of compiling and matching it. */
final class PatternSize {

    /** The size grows with the product of nested repetitions; above this the exact number does not matter. */
    private static final long ENOUGH = 1L << 40;

    private final String pattern;
    private int position;

    private PatternSize(String pattern) {
        this.pattern = pattern;
    }

    static long of(String pattern) {
        return new PatternSize(pattern).size();
    }

    private long size() {
        Deque<Long> outer = new ArrayDeque<>();
        long group = 0;
        while (position < pattern.length()) {
            char now = pattern.charAt(position++);
            long atom = 1;
            switch (now) {
                case '\\' -> position++;
                case '[' -> skipClass();
                case '(' -> {
                    outer.push(group);
                    group = 0;
                    continue;
                }
                case ')' -> {
                    atom = 1 + group;
                    group = outer.isEmpty() ? 0 : outer.pop();
                }
                default -> {}
            }
            group = Math.min(ENOUGH, group + Math.min(ENOUGH, atom * repetitions()));
        }
        return group + outer.stream().mapToLong(Long::longValue).sum();
    }

    private void skipClass() {
        int begin = position;
        while (position < pattern.length() && (pattern.charAt(position) != ']' || position == begin)) {
            position += pattern.charAt(position) == '\\' ? 2 : 1;
        }
        position++;
    }

    /** The larger number of {@code {n,m}}, if one follows. */
    private long repetitions() {
        if (position >= pattern.length() || pattern.charAt(position) != '{') {
            return 1;
        }
        long largest = 1;
        long number = 0;
        for (int i = position + 1; i < pattern.length() && i < position + 12; i++) {
            char now = pattern.charAt(i);
            if (now >= '0' && now <= '9') {
                number = 10 * number + (now - '0');
            } else {
                largest = Math.max(largest, number);
                number = 0;
                if (now != ',') {
                    break;
                }
            }
        }
        return largest;
    }
}
