package dev.tallystick.engine.seal;

import dev.tallystick.log.note.Policy;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How jobs are sealed.
 *
 * @param log the directory of the log, which anyone may read
 * @param secrets the directory of the signing key and the installation's secret, which are neither in the log nor in Postgres
 * @param interval how often to seal what has queued
 * @param lease how long a process that went silent remains the one that seals
 * @param facts how many acceptances and ends of jobs a batch may have, about
 * @param witnesses who is asked to cosign, and how many are enough
 */
public record SealSettings(Path log, Path secrets, Duration interval, Duration lease, int facts, Policy witnesses) {

    public SealSettings {
        if (facts < 1) {
            throw new IllegalArgumentException("a batch has at least one fact, got " + facts);
        }
    }

    /** The default settings, with everything below one directory. */
    public static SealSettings in(Path directory) {
        return new SealSettings(
                directory.resolve("log"),
                directory.resolve("seal"),
                Duration.ofSeconds(1),
                Duration.ofSeconds(15),
                4_000,
                Policy.unwitnessed());
    }

    /** The same for a log with this number: a successor has a directory of its own beside the first one. */
    public SealSettings of(LogNumber number) {
        Path own = log.resolveSibling(number.file(String.valueOf(log.getFileName()), ""));
        return new SealSettings(own, secrets, interval, lease, facts, witnesses);
    }

    public SealSettings interval(Duration other) {
        return new SealSettings(log, secrets, other, lease, facts, witnesses);
    }

    public SealSettings lease(Duration other) {
        return new SealSettings(log, secrets, interval, other, facts, witnesses);
    }

    public SealSettings facts(int most) {
        return new SealSettings(log, secrets, interval, lease, most, witnesses);
    }

    public SealSettings witnesses(Policy other) {
        return new SealSettings(log, secrets, interval, lease, facts, other);
    }
}
