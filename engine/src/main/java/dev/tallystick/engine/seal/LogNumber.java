package dev.tallystick.engine.seal;

/**
 * Which log of a database: 1 is the first, 2 the one that succeeds it. The files of a successor have its number in their names, so
 * that those of a lost log stay as they are.
 */
public record LogNumber(int value) {

    public static final LogNumber FIRST = new LogNumber(1);

    public LogNumber {
        if (value < 1) {
            throw new IllegalArgumentException("logs are numbered from 1, got " + value);
        }
    }

    public LogNumber next() {
        return new LogNumber(value + 1);
    }

    /** The log that this one succeeds. */
    LogNumber before() {
        return new LogNumber(value - 1);
    }

    /** The name of a file or directory: {@code log}, {@code log-2}, {@code root-2.pub}. */
    public String file(String stem, String suffix) {
        return value == 1 ? stem + suffix : stem + "-" + value + suffix;
    }

    /** The name of the log that succeeds this one. */
    String nextOrigin(String origin) {
        String stem = value == 1 ? origin : origin.substring(0, origin.length() - ("/" + value).length());
        return stem + "/" + (value + 1);
    }
}
