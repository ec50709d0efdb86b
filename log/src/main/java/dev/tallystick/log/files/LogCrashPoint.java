package dev.tallystick.log.files;

import dev.tallystick.core.CrashPoint;

/** Where a writer may be killed. At each of these points a successor finishes the same batch. */
public enum LogCrashPoint implements CrashPoint {
    /** Nothing of the batch is in the directory. */
    BEFORE_FILES,
    /** One more file is complete; its name may not be on disk. */
    FILE_NAMED,
    /** All files of the batch are on disk; the checkpoint is the old one. */
    FILES_FORCED,
    /** The directory is locked, and its checkpoint is the old one. */
    LOCKED,
    /** The key map has the batch; the checkpoint is the old one. */
    MAP_APPENDED,
    /** The checkpoint names the batch; the directory is not forced. */
    CHECKPOINT_MOVED,
    /** Everything is on disk; the caller has no answer. */
    CHECKPOINT_FORCED
}
