package dev.tallystick.daemon.delivery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a courier works.
 *
 * @param maximumAge how long a row is repeated after its first attempt; null to derive it from the server's promise
 * @param lanes how many requests it has under way at once
 * @param batch how many rows one request carries at most
 */
public record CourierSettings(Backoff backoff, @Nullable Duration maximumAge, int lanes, int batch) {

    public static final CourierSettings DEFAULT = new CourierSettings(Backoff.DEFAULT, null, 16, 500);

    public CourierSettings {
        if (lanes < 1 || batch < 1) {
            throw new IllegalArgumentException("a courier needs at least one lane and one row in a batch");
        }
    }

    public CourierSettings withBackoff(Backoff other) {
        return new CourierSettings(other, maximumAge, lanes, batch);
    }

    public CourierSettings withMaximumAge(@Nullable Duration other) {
        return new CourierSettings(backoff, other, lanes, batch);
    }

    public CourierSettings withBatch(int rows) {
        return new CourierSettings(backoff, maximumAge, lanes, rows);
    }
}
