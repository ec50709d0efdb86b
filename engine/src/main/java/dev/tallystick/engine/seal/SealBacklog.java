package dev.tallystick.engine.seal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far sealing is behind.
 *
 * @param rows how many rows are queued
 * @param lag how long the oldest has waited
 * @param alarm why sealing has stopped; null if it has not
 */
public record SealBacklog(long rows, Duration lag, @Nullable String alarm) {

    static final SealBacklog NONE = new SealBacklog(0, Duration.ZERO, null);
}
