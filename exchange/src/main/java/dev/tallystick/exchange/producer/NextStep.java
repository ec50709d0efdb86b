package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.MessageId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a posting that is due. An unacknowledged posting is published up to a number of attempts, rests, and then
 * begins again; an acknowledged one is replayed. After its deadline a posting rests longer, and in the end it is given up: only
 * its replays, for its status does not change.
 *
 * @param publishes whether it is published now, which is counted here first
 * @param rest until it is due again; null if never
 * @param deadlineMissed whether it is past its deadline
 * @param entry for the audit trail; empty for none
 */
record NextStep(
        MessageId id,
        int attempt,
        int retries,
        int replays,
        boolean publishes,
        @Nullable Duration rest,
        boolean deadlineMissed,
        String entry) {

    private static final Duration REST_AFTER_DEADLINE = Duration.ofHours(1);

    /** After so many entries of a kind, a trail gets one for every doubling: it must not grow for a year. */
    private static final int MANY = 16;

    static NextStep of(PostingStore.Due due, ExchangeSettings settings) {
        PostingRow row = due.row();
        boolean missed = !row.deadline().isAfter(due.now());
        Duration rest = missed ? longer(settings.replayInterval()) : settings.replayInterval();
        if (!row.inception().plus(settings.replayFor()).isAfter(due.now())) {
            return step(due, row.attempt(), 0, 0, false, null, "replayed for as long as it may be");
        }
        if (row.status().ack() != AckStatus.NACKED_POSTING) {
            int replays = row.replays() + 1;
            return step(due, row.attempt(), 0, 1, true, rest, shown(replays, "replaying, number " + replays));
        }
        if (row.attempt() >= settings.attempts()) {
            String entry = "no receipt after " + row.attempt() + " attempts, resting";
            return step(due, 0, 0, 0, false, rest, shown(row.retries(), entry));
        }
        int attempt = row.attempt() + 1;
        int retries = due.published() ? 1 : 0;
        return step(
                due,
                attempt,
                retries,
                0,
                true,
                settings.acknowledgementTimeout(),
                shown(row.retries() + retries, "publishing, attempt " + attempt));
    }

    /** Whether the posting is now found past its deadline for the first time. */
    boolean newlyMissed(PostingStore.Due due) {
        return deadlineMissed && !due.deadlineMissed();
    }

    boolean isExpired() {
        return rest == null;
    }

    private static NextStep step(
            PostingStore.Due due,
            int attempt,
            int retries,
            int replays,
            boolean publishes,
            @Nullable Duration rest,
            String entry) {
        PostingRow row = due.row();
        boolean missed = !row.deadline().isAfter(due.now());
        return new NextStep(
                row.ref().id(),
                attempt,
                row.retries() + retries,
                row.replays() + replays,
                publishes,
                rest == null || missed ? rest : sooner(rest, due.now(), row.deadline()),
                missed,
                entry);
    }

    private static Duration longer(Duration rest) {
        return rest.compareTo(REST_AFTER_DEADLINE) > 0 ? rest : REST_AFTER_DEADLINE;
    }

    private static Duration sooner(Duration rest, Instant now, Instant deadline) {
        Duration left = Duration.between(now, deadline).plusMillis(1);
        return left.compareTo(rest) < 0 ? left : rest;
    }

    private static String shown(int number, String entry) {
        return number < MANY || Integer.bitCount(number) == 1 ? entry : "";
    }
}
