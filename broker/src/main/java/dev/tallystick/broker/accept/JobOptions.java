package dev.tallystick.broker.accept;

import dev.tallystick.core.Json;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a job beyond its envelope. They are not part of the fingerprint: a repeat with other options gets the original
 * job.
 *
 * @param version the version of the workflow; null for the newest
 * @param notBefore the earliest start; null for immediately
 */
public record JobOptions(
        @Nullable Integer version, @Nullable Instant notBefore, Json.ObjectValue attributes) {

    public static final JobOptions NONE = new JobOptions(null, null, new Json.ObjectValue(Map.of()));
}
