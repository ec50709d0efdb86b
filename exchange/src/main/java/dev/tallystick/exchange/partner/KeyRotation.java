package dev.tallystick.exchange.partner;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SigningKey;
import java.util.Base64;
import java.util.Map;

/**
 * A participant's change of key, signed by both keys: a verifier that trusts one of them can reach the other. Old evidence stays valid
 * for a verifier who knows only the new key, and new evidence for one who knows only the old.
 */
public record KeyRotation(
        Participant participant, PublicKey previous, PublicKey next, String byPrevious, String byNext) {

    /**
     * Checks both signatures.
     *
     * @throws IllegalArgumentException if one is wrong
     */
    public KeyRotation {
        byte[] statement = statement(participant, previous, next);
        if (!previous.verifies(statement, Base64.getDecoder().decode(byPrevious))
                || !next.verifies(statement, Base64.getDecoder().decode(byNext))) {
            throw new IllegalArgumentException("this rotation of " + participant + " is not signed by both keys");
        }
    }

    public static KeyRotation of(Participant participant, SigningKey previous, SigningKey next) {
        byte[] statement = statement(participant, previous.publicKey(), next.publicKey());
        return new KeyRotation(
                participant,
                previous.publicKey(),
                next.publicKey(),
                Base64.getEncoder().encodeToString(previous.sign(statement)),
                Base64.getEncoder().encodeToString(next.sign(statement)));
    }

    public Json toJson() {
        return new ObjectValue(Map.of(
                "participant", Json.of(participant.name()),
                "previous", Json.of(previous.toString()),
                "next", Json.of(next.toString()),
                "by_previous", Json.of(byPrevious),
                "by_next", Json.of(byNext)));
    }

    /**
     * Reads {@link #toJson()}.
     *
     * @throws IllegalArgumentException if it is not a rotation, or a signature is wrong
     */
    public static KeyRotation parse(Json json) {
        if (!(json instanceof ObjectValue object) || object.members().size() != 5) {
            throw new IllegalArgumentException("a rotation is an object with five members");
        }
        return new KeyRotation(
                new Participant(text(object, "participant")),
                PublicKey.parse(text(object, "previous")),
                PublicKey.parse(text(object, "next")),
                text(object, "by_previous"),
                text(object, "by_next"));
    }

    private static String text(ObjectValue object, String name) {
        if (object.members().get(name) instanceof StringValue text) {
            return text.value();
        }
        throw new IllegalArgumentException("'" + name + "' must be a string");
    }

    private static byte[] statement(Participant participant, PublicKey previous, PublicKey next) {
        return ("tally-exchange-rotation-v1\n" + participant + "\n" + previous + "\n" + next + "\n").getBytes(UTF_8);
    }
}
