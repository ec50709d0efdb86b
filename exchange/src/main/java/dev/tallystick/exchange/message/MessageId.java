package dev.tallystick.exchange.message;

import java.util.regex.Pattern;

/** Identifies a posting and all messages about it; unique for each producer. */
public record MessageId(String value) {

    private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,128}");

    public MessageId {
        if (!VISIBLE.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "a message id has 1 to 128 visible ASCII characters; got '" + value + "'");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
