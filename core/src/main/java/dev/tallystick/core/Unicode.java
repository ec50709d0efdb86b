package dev.tallystick.core;

/** Detects text that Java strings can hold but UTF-8 cannot. */
final class Unicode {

    /**
     * Such text has no UTF-8 form: encoding replaces the surrogate with {@code ?}, so two different texts would have the same
     * hash.
     */
    static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean paired = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!paired) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    private Unicode() {}
}
