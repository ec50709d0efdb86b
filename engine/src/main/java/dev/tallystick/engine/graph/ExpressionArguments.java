package dev.tallystick.engine.graph;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What functions of JSONata are given: arguments with which the library would take long or much are refused. */
final class ExpressionArguments {

    /** Pictures of numbers and times, and what is read by them. */
    private static final int MAX_PICTURE = 256;

    /** In how many ways a text may be taken apart by a picture; the library may try all of them. */
    private static final double MAX_READINGS = 1e6;

    /** Steps of a search for one text in another; the library may compare each place of the one with all of the other. */
    private static final double MAX_COMPARED = 4e9;

    /** Digits that a number may have before or after its point. */
    private static final int MAX_PLACES = 400;

    /** A width of four digits or more, in a picture of a time without its spaces. */
    private static final Pattern WIDE = Pattern.compile(",[^\\]]*\\p{Nd}{4}");

    private ExpressionArguments() {}

    static @Nullable Object at(List<?> arguments, int index) {
        return index < arguments.size() ? arguments.get(index) : null;
    }

    static void demandShortJoin(List<?> arguments) {
        if (at(arguments, 0) instanceof List<?> parts) {
            double separator = at(arguments, 1) instanceof String text ? text.length() : 0;
            double length = separator * parts.size();
            for (Object part : parts) {
                length += part instanceof String text ? text.length() : 0;
            }
            ExpressionBounds.demandText(length);
        }
    }

    static void demandShortSearch(List<?> arguments) {
        if (at(arguments, 0) instanceof String text
                && at(arguments, 1) instanceof String part
                && (double) text.length() * part.length() > MAX_COMPARED) {
            throw new ExpressionBounds.Exceeded("a text of " + part.length() + " characters is too long to search for");
        }
    }

    /** The library runs through a URL once for each character that it does not encode. */
    static void demandShortUrl(List<?> arguments) {
        if (at(arguments, 0) instanceof String text) {
            ExpressionBounds.demandText(8.0 * text.length());
        }
    }

    static void demandFewPlaces(List<?> arguments) {
        if (at(arguments, 1) instanceof Number places && Math.abs(places.doubleValue()) > MAX_PLACES) {
            throw new ExpressionBounds.Exceeded("a number is rounded to " + MAX_PLACES + " places at most");
        }
    }

    /** Pretty printing indents each element by its depth. */
    static void demandShortPrint(List<?> arguments) {
        if (Boolean.TRUE.equals(at(arguments, 1))) {
            ExpressionBounds.demandText(printed(at(arguments, 0), 1));
        }
    }

    private static double printed(@Nullable Object value, int level) {
        double length = 2.0 * level;
        switch (value) {
            case String text -> length += text.length();
            case List<?> list -> {
                for (Object each : list) {
                    length += printed(each, level + 1);
                }
            }
            case Map<?, ?> map -> {
                for (Object each : map.values()) {
                    length += printed(each, level + 1);
                }
            }
            case null, default -> {}
        }
        return length;
    }

    /** The library fills a number up to the width that a picture wants. */
    static void demandNarrow(List<?> arguments, int picture) {
        demandShort(arguments);
        if (at(arguments, picture) instanceof String given
                && WIDE.matcher(given.replaceAll("\\s", "")).find()) {
            throw new ExpressionBounds.Exceeded("a width in a picture has three digits at most");
        }
    }

    static void demandShort(List<?> arguments) {
        for (Object each : arguments) {
            if (each instanceof String text && text.length() > MAX_PICTURE) {
                throw new ExpressionBounds.Exceeded(
                        "a number, a time or its picture is longer than " + MAX_PICTURE + " characters");
            }
        }
    }

    /** The library reads times with a pattern that it makes of the picture, and which tries where each of its parts may end. */
    static void demandPlainTime(List<?> arguments) {
        demandNarrow(arguments, 1);
        if (at(arguments, 0) instanceof String text && at(arguments, 1) instanceof String picture) {
            double readings = 1;
            int adjacent = picture.replaceAll("\\s", "").split("\\][\\w,-]*\\[", -1).length - 1;
            for (int i = 0; i < adjacent; i++) {
                readings *= Math.max(1.0, text.length() - i) / (i + 1);
            }
            if (readings > MAX_READINGS) {
                throw new ExpressionBounds.Exceeded("the picture can be read in too many ways: separate its parts");
            }
        }
    }
}
