package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoint;

/** The points of a succession of logs where a crash matters. */
public enum SuccessionCrashPoint implements CrashPoint {
    /** The key of the successor has its file, and no one knows of it. */
    KEY_MADE,
    /** The database has the successor, that is not committed. */
    SUCCEEDING,
    /** The successor is durable, its operator does not know yet. */
    SUCCEEDED
}
