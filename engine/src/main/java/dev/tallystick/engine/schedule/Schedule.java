package dev.tallystick.engine.schedule;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Priority;
import dev.tallystick.keys.Scope;
import java.time.ZoneId;
import java.util.regex.Pattern;

/**
 * A workflow that runs repeatedly.
 *
 * @param scope the owner, in whose name its jobs are submitted
 * @param name unique in its mesh
 * @param fingerprint of the request that each of its jobs is submitted with
 */
public record Schedule(
        Scope scope,
        String name,
        String workflow,
        Cron cron,
        ZoneId zone,
        byte[] input,
        Fingerprint fingerprint,
        Priority priority) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}");

    public Schedule {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a schedule's name has up to 100 letters, digits, '_', '.' or '-' and begins with one of the first two;"
                            + " got '" + name + "'");
        }
    }
}
