package dev.tallystick.log.note;

import dev.tallystick.log.tree.Hash;

/**
 * What a log signs: its name, how many entries it has, and the root of its tree. We write no extension lines and refuse them.
 *
 * @param origin the name of the log, which no other log has
 */
public record Checkpoint(String origin, long size, Hash root) {

    private static final int LONGEST_ORIGIN = 255;

    public Checkpoint {
        VerifierKey.requireName(origin);
        if (origin.length() > LONGEST_ORIGIN) {
            throw new IllegalArgumentException("an origin has at most 255 characters");
        }
        if (size < 0 || (size == 0 && !root.equals(Hash.EMPTY_TREE))) {
            throw new IllegalArgumentException("no tree of size " + size + " has this root");
        }
    }

    /** The text of the note. */
    public String text() {
        return origin + "\n" + size + "\n" + root.base64() + "\n";
    }

    /** Parses the text of a note, and only the form that {@link #text()} writes. */
    public static Checkpoint parse(String text) {
        String[] lines = text.split("\n", -1);
        if (lines.length != 4 || !lines[3].isEmpty()) {
            throw new IllegalArgumentException("a checkpoint has three lines: origin, size and root");
        }
        Checkpoint checkpoint = new Checkpoint(lines[0], decimal(lines[1]), Hash.parse(lines[2]));
        if (!checkpoint.text().equals(text)) {
            throw new IllegalArgumentException("a checkpoint in other than its usual form");
        }
        return checkpoint;
    }

    /** A number as C2SP writes it: no sign, no leading zero. */
    public static long decimal(String digits) {
        boolean plain = !digits.isEmpty()
                && digits.length() <= 19
                && digits.chars().allMatch(c -> c >= '0' && c <= '9')
                && (digits.length() == 1 || digits.charAt(0) != '0');
        if (!plain) {
            throw new IllegalArgumentException("not a plain decimal number: '" + brief(digits) + "'");
        }
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("too large a number: " + digits, e);
        }
    }

    private static String brief(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "…";
    }
}
