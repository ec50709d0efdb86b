package dev.tallystick.ledger.verifier.document;

import java.util.ArrayDeque;
import java.util.Deque;

/** How large a pattern is when its repetitions are written out, which is what it takes to compile it and to match with it. */
final class PatternSize {

    /** It grows with the product of nested repetitions, and there is no need to know how far. */
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

    /** The larger number of {@code {n,m}}, if that is what follows. */
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
