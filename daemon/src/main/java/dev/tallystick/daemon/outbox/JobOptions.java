package dev.tallystick.daemon.outbox;

import dev.tallystick.core.Json;
import dev.tallystick.core.api.JobApi.SubmitJob;
import dev.tallystick.core.api.RecordBinding;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a submission says beyond the request that its key identifies. Kept as canonical JSON, so in this order. */
public record JobOptions(
        Map<String, String> attributes,
        @Nullable Instant notBefore,
        @Nullable Integer version) {

    private static final JobOptions NONE = new JobOptions(Map.of(), null, null);

    public JobOptions {
        if (version != null && version < 1) {
            throw new IllegalArgumentException("'version' must be a whole number from 1");
        }
    }

    static JobOptions of(SubmitJob job) {
        Map<String, String> attributes = new TreeMap<>();
        if (job.attributes() != null) {
            job.attributes().members().forEach((name, value) -> {
                if (!(value instanceof Json.StringValue text)) {
                    throw new IllegalArgumentException("the attribute '" + name + "' must be a text");
                }
                attributes.put(name, text.value());
            });
        }
        return new JobOptions(attributes, job.notBefore(), job.version());
    }

    /** Null if there are none. */
    @Nullable
    String text() {
        return equals(NONE) ? null : RecordBinding.text(this);
    }

    /** The options kept with a row. */
    public static JobOptions in(@Nullable String text) {
        return text == null
                ? NONE
                : (JobOptions) RecordBinding.ofAnswer(JobOptions.class).read(Json.parse(text, Payload.LIMITS));
    }
}
