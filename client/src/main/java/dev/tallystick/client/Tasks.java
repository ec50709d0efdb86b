package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What jobs ask people. Where a {@code person} is named, null stands for the member of the token; only an admin acts for others.
 * Thread-safe.
 */
public final class Tasks {

    private static final String PATH = "/v1/tasks";

    private final Exchange exchange;

    Tasks(Exchange exchange) {
        this.exchange = exchange;
    }

    /** A page of what is open, the oldest first; {@code after} is the {@code next} of the page before. */
    public Reply list(@Nullable UUID after, int limit) {
        return page("", after, limit);
    }

    /** What a group is asked. */
    public Reply ofGroup(String group, @Nullable UUID after, int limit) {
        return page("&group=" + TallyClient.encode(group), after, limit);
    }

    /** What a person has. */
    public Reply heldBy(String person, @Nullable UUID after, int limit) {
        return page("&person=" + TallyClient.encode(person), after, limit);
    }

    public Reply show(UUID task) {
        return exchange.send(Request.get(PATH + "/" + task));
    }

    public Reply claim(UUID task, @Nullable String person) {
        return exchange.send(Request.post(PATH + "/" + task + "/claim", by(person, new TreeMap<>())));
    }

    public Reply release(UUID task, @Nullable String person) {
        return exchange.send(Request.post(PATH + "/" + task + "/release", by(person, new TreeMap<>())));
    }

    /** Hands a task to another group. */
    public Reply escalate(UUID task, String group) {
        return exchange.send(
                Request.post(PATH + "/" + task + "/escalate", new Json.ObjectValue(Map.of("group", Json.of(group)))));
    }

    /** Answers a task. The same key again is the same answer. */
    public Reply resolve(UUID task, Json answer, @Nullable String person, IdempotencyKey key) {
        Map<String, Json> body = new TreeMap<>(Map.of("answer", answer));
        return exchange.send(
                Request.post(PATH + "/" + task + "/resolve", by(person, body)).under(key.value()));
    }

    private Reply page(String which, @Nullable UUID after, int limit) {
        String rest = after == null ? "" : "&after=" + after;
        return exchange.send(Request.get(PATH + "?limit=" + limit + which + rest));
    }

    private static Json by(@Nullable String person, Map<String, Json> body) {
        if (person != null) {
            body.put("person", Json.of(person));
        }
        return new Json.ObjectValue(body);
    }
}
