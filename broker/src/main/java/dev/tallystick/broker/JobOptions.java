package dev.tallystick.broker;

import dev.tallystick.core.Json;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job is asked for beyond its envelope. None of it is part of the fingerprint: a repeat that asks for something else
 * here gets the job of the first time.
 *
 * @param version of the workflow; null for the newest
 * @param notBefore when it may begin; null for at once
 */
public record JobOptions(
        @Nullable Integer version, @Nullable Instant notBefore, Json.ObjectValue attributes) {

    public static final JobOptions NONE = new JobOptions(null, null, new Json.ObjectValue(Map.of()));
}
