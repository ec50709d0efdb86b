package dev.tallystick.engine.upkeep;

import dev.tallystick.core.CrashPoint;

/** The points of an erasure where a crash matters, besides the commits themselves. */
public enum ErasureCrashPoint implements CrashPoint {
    /** The personal data of a job is deleted, that is not committed. */
    ERASING,
    /** The job is erased, but for the text of its key, and the caller does not know yet. */
    ERASED,
    /** The text of the key is deleted, that is not committed. */
    REMOVING_KEYS,
    /** Nothing personal is left, and the caller does not know yet. */
    KEYS_REMOVED
}
