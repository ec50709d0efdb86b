package dev.tallystick.core;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Documents that are valid but as untidy as the grammar allows: odd spacing, needless escapes, many spellings of numbers. They
 * avoid subnormal numbers, which the oracle writes wrongly, fails on, or never finishes.
 */
final class RandomJson {

    private static final int DEEPEST = 6;
    private static final int MOST_CHILDREN = 6;
    private static final String[] SPACES = {"", "", "", " ", "\n", "\t", "\r\n", "   "};

    private final RandomGenerator random;
    private final StringBuilder out = new StringBuilder();

    private RandomJson(RandomGenerator random) {
        this.random = random;
    }

    /** Always an object or an array at the top, because the oracle accepts nothing else. */
    static String document(RandomGenerator random) {
        RandomJson json = new RandomJson(random);
        json.space();
        if (random.nextBoolean()) {
            json.object(0);
        } else {
            json.array(0);
        }
        json.space();
        return json.out.toString();
    }

    private void value(int depth) {
        switch (random.nextInt(depth < DEEPEST ? 8 : 6)) {
            case 0 -> out.append("true");
            case 1 -> out.append("false");
            case 2 -> out.append("null");
            case 3 -> number();
            case 4, 5 -> string(text());
            case 6 -> object(depth + 1);
            default -> array(depth + 1);
        }
    }

    private void object(int depth) {
        Set<String> names = new HashSet<>();
        for (int i = random.nextInt(MOST_CHILDREN); i > 0; i--) {
            names.add(text());
        }
        out.append('{');
        String separator = "";
        for (String name : names) {
            out.append(separator);
            space();
            string(name);
            space();
            out.append(':');
            space();
            value(depth);
            space();
            separator = ",";
        }
        space();
        out.append('}');
    }

    private void array(int depth) {
        out.append('[');
        String separator = "";
        for (int i = random.nextInt(MOST_CHILDREN); i > 0; i--) {
            out.append(separator);
            space();
            value(depth);
            space();
            separator = ",";
        }
        space();
        out.append(']');
    }

    private void number() {
        switch (random.nextInt(5)) {
            case 0 -> out.append(random.nextLong(-(1L << 53), (1L << 53) + 1));
            case 1 -> out.append(random.nextInt(-100, 100));
            case 2 -> out.append(String.format(Locale.ROOT, "%.3f", random.nextDouble() * 1e6));
            case 3 ->
                out.append(random.nextInt(10))
                        .append(random.nextBoolean() ? "E-" : "e-")
                        .append(random.nextInt(300));
            default -> out.append(writable());
        }
    }

    private double writable() {
        while (true) {
            double value = Double.longBitsToDouble(random.nextLong());
            boolean normal = Double.isFinite(value) && Math.abs(value) >= Double.MIN_NORMAL;
            if (normal && !Json.NumberValue.isInexactInteger(value)) {
                return value;
            }
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.appendCodePoint(codePoint());
        }
        return text.toString();
    }

    private int codePoint() {
        int codePoint = switch (random.nextInt(6)) {
            case 0 -> random.nextInt(0x20);
            case 1 -> random.nextInt(Character.MAX_CODE_POINT + 1);
            case 2 -> random.nextInt(0x80, 0x10000);
            default -> random.nextInt(0x20, 0x80);
        };
        boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        return surrogate ? 'x' : codePoint;
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || random.nextInt(8) == 0) {
                String form = random.nextBoolean() ? "\\u%04x" : "\\u%04X";
                out.append(String.format(Locale.ROOT, form, (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private void space() {
        out.append(SPACES[random.nextInt(SPACES.length)]);
    }
}
