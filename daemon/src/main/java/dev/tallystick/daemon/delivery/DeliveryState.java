package dev.tallystick.daemon.delivery;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether rows are being delivered, and why not.
 *
 * @param code why it is paused; null otherwise
 * @param reason for people; null while it delivers
 */
public record DeliveryState(
        Kind kind, @Nullable String code, @Nullable String reason, Instant since) {

    /** What the courier does. */
    public enum Kind {
        /** It sends what there is. */
        DELIVERING,
        /** It has no connection to the server, and tries again. */
        OFFLINE,
        /** It will not send until the cause is removed; it looks regularly. */
        PAUSED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The server is not the one that the outbox belongs to: keys would mean something else there. */
    public static final String SERVER_CHANGED = "server_changed";

    /** The server cannot keep the daemon's promise. */
    public static final String SERVER_UNSUITABLE = "server_unsuitable";

    static DeliveryState delivering(Instant since) {
        return new DeliveryState(Kind.DELIVERING, null, null, since);
    }

    static DeliveryState offline(String reason, Instant since) {
        return new DeliveryState(Kind.OFFLINE, null, reason, since);
    }

    static DeliveryState paused(String code, String reason, Instant since) {
        return new DeliveryState(Kind.PAUSED, code, reason, since);
    }

    public boolean isDelivering() {
        return kind == Kind.DELIVERING;
    }
}
