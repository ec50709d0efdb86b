package dev.tallystick.engine.seal;

import dev.tallystick.core.CrashPoint;

/** The points of sealing where a crash matters, besides the commits themselves. */
public enum SealCrashPoint implements CrashPoint {
    /** The batch is worked out, nothing of it is written. */
    WORKED_OUT,
    /** The intent is written, not committed. */
    INTENDING,
    /** The intent is durable, nothing is signed. */
    INTENDED,
    /** The note is signed, no file is written. */
    SIGNED,
    /** The bundles and tiles are durable, the checkpoint is the old one. */
    FILES_WRITTEN,
    /** The checkpoint is the new one, the anchor is the old one. */
    PUBLISHED,
    /** The anchor is written, not committed. */
    ANCHORING,
    /** The anchor is durable, this process does not know yet. */
    ANCHORED
}
