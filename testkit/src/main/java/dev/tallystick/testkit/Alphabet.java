package dev.tallystick.testkit;

import java.util.List;

/** Ranges of code points; all ranges are equally likely, so that the small and nasty ones come up often. */
record Alphabet(List<Range> ranges) {

    static final Alphabet WORD = new Alphabet(List.of(new Range('a', 'z'), new Range('A', 'Z'), new Range('0', '9')));

    static final Alphabet STORABLE = new Alphabet(List.of(
            new Range('a', 'z'),
            new Range(' ', '/'), // quotes, percent, comma
            new Range('[', '`'), // backslash, underscore
            new Range(0x01, 0x1F), // control characters, including line ends
            new Range(0x7F, 0x9F),
            new Range(0xC0, 0xFF),
            new Range(0x0130, 0x0131), // the two letters i of Turkish, whose case depends on the locale
            new Range(0x0300, 0x036F), // combining accents
            new Range(0x0590, 0x05FF), // right to left
            new Range(0x200B, 0x200F), // zero width, and changes of direction
            new Range(0x2028, 0x202E), // line ends for some and not for others
            new Range(0xAC00, 0xD7A3), // composed Korean
            new Range(0xFEFF, 0xFEFF), // the byte order mark
            new Range(0xFFFD, 0xFFFF),
            new Range(0x1F300, 0x1F6FF), // two chars each in Java
            new Range(0x10FFFD, 0x10FFFF)));

    int draw(Randomness random) {
        Range range = ranges.get(random.nextInt(ranges.size()));
        return random.nextInt(range.first(), range.last() + 1);
    }

    /** Both ends inclusive. */
    record Range(int first, int last) {}
}
