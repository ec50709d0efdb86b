package dev.tallystick.client;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a server starts by the clock. Thread-safe. */
public final class Schedules {

    private static final String PATH = "/v1/schedules";

    private final Exchange exchange;

    Schedules(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * When something is to be done, and what.
     *
     * @param cron minute, hour, day of month, month, day of week
     * @param zone whose local time is meant, such as {@code Europe/Berlin}
     */
    public record NewSchedule(String workflow, String cron, String zone, Json input, Priority priority) {

        public static NewSchedule of(String workflow, String cron, String zone, Json input) {
            return new NewSchedule(workflow, cron, zone, input, Priority.DEFAULT);
        }
    }

    /** Keeps a schedule, in place of one of the same name. */
    public Reply put(String name, NewSchedule schedule) {
        Map<String, Json> body = new TreeMap<>();
        body.put("workflow", Json.of(schedule.workflow()));
        body.put("cron", Json.of(schedule.cron()));
        body.put("zone", Json.of(schedule.zone()));
        body.put("input", schedule.input());
        body.put("priority", Json.of(schedule.priority().word()));
        return exchange.send(Request.put(path(name), new Json.ObjectValue(body)));
    }

    /** A page of them, by name; {@code after} is the {@code next} of the page before. */
    public Reply list(@Nullable String after, int limit) {
        String rest = after == null ? "" : "&after=" + TallyClient.encode(after);
        return exchange.send(Request.get(PATH + "?limit=" + limit + rest));
    }

    public Reply show(String name) {
        return exchange.send(Request.get(path(name)));
    }

    public Reply delete(String name) {
        return exchange.send(Request.delete(path(name)));
    }

    /** It does not fire until it is resumed. */
    public Reply pause(String name) {
        return exchange.send(Request.post(path(name) + "/pause", null));
    }

    /** It fires again, from the next moment on. */
    public Reply resume(String name) {
        return exchange.send(Request.post(path(name) + "/resume", null));
    }

    /** Starts one of its jobs now. The same key again is the same job. */
    public Reply trigger(String name, IdempotencyKey key) {
        return exchange.send(Request.post(path(name) + "/trigger", null).under(key.value()));
    }

    private static String path(String name) {
        return PATH + "/" + TallyClient.encode(name);
    }
}
