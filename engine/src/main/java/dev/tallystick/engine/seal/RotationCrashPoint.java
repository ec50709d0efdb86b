package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoint;

/** The points of a rotation of keys where a crash matters, besides those of the batch that names the next key. */
public enum RotationCrashPoint implements CrashPoint {
    /** The next key has its file, and no one knows of it. */
    NEXT_KEY_MADE,
    /** The log has the next key in force, and its file still the name of a key to come. */
    NEXT_KEY_IN_FORCE,
    /** The old key is gone. */
    OLD_KEY_GONE
}
