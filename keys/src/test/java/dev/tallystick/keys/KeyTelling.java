package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Outcomes and rows as short texts, so that two sides can be compared and a difference is readable. */
final class KeyTelling {

    static String row(KeyEntry entry) {
        KeyEntry.Hold hold = entry.hold();
        return row(
                entry.status(),
                entry.fingerprint(),
                entry.original(),
                entry.response(),
                hold == null ? null : hold.owner(),
                hold == null ? 0 : hold.fence(),
                hold != null && hold.transactional());
    }

    static String row(
            KeyStatus status,
            Fingerprint fingerprint,
            UUID original,
            @Nullable StoredResponse response,
            @Nullable KeyOwner owner,
            long fence,
            boolean transactional) {
        return "%s %s %s %s %s/%d%s"
                .formatted(
                        status,
                        fingerprint.prefix(),
                        original,
                        response == null ? "-" : response.text(),
                        owner,
                        fence,
                        transactional ? " transactional" : "");
    }

    static String told(Accept outcome) {
        return switch (outcome) {
            case Accept.Fresh fresh -> "fresh";
            case Accept.Confirmed confirmed -> "confirmed " + row(confirmed.entry());
            case Accept.Replayed replayed -> "replayed " + row(replayed.entry());
            case Accept.Reused reused -> "reused";
        };
    }

    static String told(Reserve outcome) {
        return switch (outcome) {
            case Reserve.Reserved reserved ->
                "reserved " + reserved.reservation().fence();
            case Reserve.InProgress other -> "in progress " + row(other.entry());
            case Reserve.OutcomeUnknown unknown -> "unknown " + row(unknown.entry());
            case Reserve.Replayed replayed -> "replayed " + row(replayed.entry());
            case Reserve.Reused reused -> "reused";
        };
    }

    static String told(Optional<Reserve> held) {
        return held.map(KeyTelling::told).orElse("gone");
    }

    static String told(@Nullable Settle outcome) {
        return switch (outcome) {
            case null -> "blocked";
            case Settle.Settled settled -> "settled " + row(settled.entry());
            case Settle.Released released -> "released";
            case Settle.Overruled overruled ->
                "overruled " + (overruled.entry() == null ? "none" : row(overruled.entry()));
        };
    }

    private KeyTelling() {}
}
