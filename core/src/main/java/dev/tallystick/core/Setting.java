package dev.tallystick.core;

import java.util.Map;

/** Reads one setting from the environment, or its default if it is missing. An error names the setting. */
public final class Setting {

    private Setting() {}

    public static int number(Map<String, String> environment, String name, int otherwise) {
        String text = environment.get(name);
        try {
            return text == null ? otherwise : Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a whole number, got '" + text + "'", e);
        }
    }

    public static boolean flag(Map<String, String> environment, String name, boolean otherwise) {
        String text = environment.getOrDefault(name, Boolean.toString(otherwise));
        return switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(name + " must be true or false, got '" + text + "'");
        };
    }
}
