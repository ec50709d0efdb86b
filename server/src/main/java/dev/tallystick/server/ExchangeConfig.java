package dev.tallystick.server;

import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.file.SecretReader;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Who a server is in the exchange, and how it reaches its partners.
 *
 * @param partners the server of each partner, with the token that the partner gave us
 */
public record ExchangeConfig(
        Participant participant, SigningKey key, Map<Participant, Partner> partners, ExchangeSettings settings) {

    public ExchangeConfig {
        partners = Map.copyOf(partners);
    }

    /**
     * Reads a file such as
     *
     * <pre>{@code
     * {
     *   "participant": "acme",
     *   "key_file": "/etc/tally/acme.key",
     *   "partners": {"globex": {"server": "https://tally.globex.example", "token_file": "/etc/tally/globex.token"}}
     * }
     * }</pre>
     *
     * Files are relative to its own directory, and only their owner may read the key and the tokens.
     *
     * @throws IllegalArgumentException if it cannot be used; says why
     */
    public static ExchangeConfig read(Path file) {
        try {
            ObjectValue config =
                    object(Json.parse(Files.readAllBytes(file)), Set.of("participant", "key_file", "partners"));
            Map<Participant, Partner> partners = new LinkedHashMap<>();
            for (Map.Entry<String, Json> each :
                    object(member(config, "partners"), Set.of()).members().entrySet()) {
                ObjectValue partner = object(each.getValue(), Set.of("server", "token_file"));
                partners.put(
                        new Participant(each.getKey()),
                        new Partner(
                                URI.create(text(partner, "server")),
                                SecretReader.read(file.resolveSibling(text(partner, "token_file")))));
            }
            return new ExchangeConfig(
                    new Participant(text(config, "participant")),
                    SigningKey.parse(SecretReader.read(file.resolveSibling(text(config, "key_file")))),
                    partners,
                    ExchangeSettings.DEFAULT);
        } catch (IOException e) {
            throw new IllegalArgumentException("the exchange needs a file that cannot be read: " + e, e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** @param known its members; empty for any */
    private static ObjectValue object(Json json, Set<String> known) {
        if (!(json instanceof ObjectValue object)) {
            throw new IllegalArgumentException("expected an object");
        }
        for (String name : object.members().keySet()) {
            if (!known.isEmpty() && !known.contains(name)) {
                throw new IllegalArgumentException("'" + name + "' is unknown, only " + known);
            }
        }
        return object;
    }

    private static Json member(ObjectValue object, String name) {
        Json value = object.members().get(name);
        if (value == null) {
            throw new IllegalArgumentException("'" + name + "' is missing");
        }
        return value;
    }

    private static String text(ObjectValue object, String name) {
        if (member(object, name) instanceof StringValue text) {
            return text.value();
        }
        throw new IllegalArgumentException("'" + name + "' must be a string");
    }

    /** Without the tokens and the key, because it may be logged. */
    @Override
    public String toString() {
        return "ExchangeConfig[" + participant + " with " + partners.keySet() + "]";
    }
}
