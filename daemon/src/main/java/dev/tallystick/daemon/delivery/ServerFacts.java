package dev.tallystick.daemon.delivery;

import dev.tallystick.core.Json;
import dev.tallystick.daemon.outbox.SendLimits;
import dev.tallystick.daemon.storage.StorageException;
import java.util.Map;

/**
 * Who the server is, who the daemon is to it, and what it promises.
 *
 * @param installation the id of the installation: a restored or another server has another one
 * @param mesh the id of the mesh of the daemon's token
 * @param member the id of the member of the daemon's token
 * @param dedupeMode how the server recognises repeats
 * @param retentionDays how long it remembers keys
 */
public record ServerFacts(
        String installation, String mesh, String member, String dedupeMode, int retentionDays, SendLimits limits) {

    /** The server remembers each key for the promised time. */
    public static final String REQUIRED_MODE = "retention_scoped";

    /** As remembered for a daemon that starts offline. */
    String json() {
        return new Json.ObjectValue(Map.of(
                        "installation_id", Json.of(installation),
                        "mesh_id", Json.of(mesh),
                        "member_id", Json.of(member),
                        "dedupe_mode", Json.of(dedupeMode),
                        "retention_days", Json.of(retentionDays),
                        "body_bytes", Json.of(limits.bodyBytes()),
                        "request_bytes", Json.of(limits.requestBytes())))
                .canonical();
    }

    /** @throws StorageException if they are damaged: without them, delivery could begin to another server */
    static ServerFacts parse(String json) {
        try {
            Map<String, Json> members = ((Json.ObjectValue) Json.parse(json)).members();
            return new ServerFacts(
                    text(members, "installation_id"),
                    text(members, "mesh_id"),
                    text(members, "member_id"),
                    text(members, "dedupe_mode"),
                    number(members, "retention_days"),
                    new SendLimits(number(members, "body_bytes"), number(members, "request_bytes")));
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new StorageException(
                    StorageException.Kind.DAMAGED,
                    "what the outbox remembers of its server is damaged: " + e.getMessage(),
                    e);
        }
    }

    private static String text(Map<String, Json> members, String name) {
        if (members.get(name) instanceof Json.StringValue text) {
            return text.value();
        }
        throw new IllegalArgumentException("the remembered server has no " + name);
    }

    private static int number(Map<String, Json> members, String name) {
        if (members.get(name) instanceof Json.NumberValue number) {
            return (int) number.value();
        }
        throw new IllegalArgumentException("the remembered server has no " + name);
    }
}
