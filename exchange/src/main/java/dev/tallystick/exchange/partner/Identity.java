package dev.tallystick.exchange.partner;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.signing.SigningKey;
import java.util.regex.Pattern;

/**
 * Who an instance is.
 *
 * @param instance tells the instances of a participant apart in audit trails
 */
public record Identity(Participant participant, String instance, SigningKey key) {

    private static final Pattern INSTANCE = Pattern.compile("[!-.0-~]{1,64}");

    public Identity {
        if (!INSTANCE.matcher(instance).matches()) {
            throw new IllegalArgumentException(
                    "an instance name has 1 to 64 visible ASCII characters and no '/'; got '" + instance + "'");
        }
    }

    /** As audit trails name this instance. */
    public String who() {
        return participant + "/" + instance;
    }
}
