package dev.tallystick.ledger.verifier.document;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;

/** A pattern of a schema, in a form that takes time in proportion to the text (RE2): others may take longer than anyone lives. */
final class LinearPattern {

    /** How large a pattern may be when its repetitions are written out. */
    private static final int MOST = 5_000;

    /** ECMAScript's way to write a character by its number; the backslash is not itself escaped. */
    private static final java.util.regex.Pattern NUMBERED =
            java.util.regex.Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\u([0-9a-fA-F]{4})");

    private LinearPattern() {}

    static RegularExpression compile(String text) {
        if (PatternSize.of(text) > MOST) {
            throw new IllegalArgumentException(
                    "the pattern '" + text + "' is larger than " + MOST + " when its repetitions are written out");
        }
        String shortProperties = RegularExpressions.replaceLongformCharacterProperties(text);
        try {
            Pattern pattern = Pattern.compile(NUMBERED.matcher(shortProperties).replaceAll("$1\\\\x{$2}"));
            return tested -> pattern.matcher(tested).find();
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "the pattern '" + text + "' is refused (" + e.getDescription()
                            + "): patterns are those of RE2, without back-references and look-around",
                    e);
        }
    }
}
