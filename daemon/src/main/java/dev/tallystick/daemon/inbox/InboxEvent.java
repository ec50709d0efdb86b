package dev.tallystick.daemon.inbox;

import dev.tallystick.core.Json;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/** Something that has happened, at its place in the order of events. */
public record InboxEvent(long position, Kind kind, String subject, Instant at, String data) {

    /** What has happened. */
    public enum Kind {
        /** A message arrived. */
        MESSAGE,
        /** A message mentions the daemon's member. */
        MENTION,
        /** A row of the outbox will never be sent again. */
        DEAD,
        /** Delivery began, stopped or was paused. */
        DELIVERY;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind parse(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    public Json.ObjectValue json() {
        return new Json.ObjectValue(Map.of(
                "position", Json.of(position),
                "event", Json.of(kind.word()),
                "at", Json.of(at.toString()),
                "data", Json.parse(data, Inbox.LIMITS)));
    }
}
