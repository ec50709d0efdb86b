package dev.tallystick.daemon;

import dev.tallystick.core.CrashPoint;

/** Moments in the rotation of the daemon's key at which a crash must do no harm. */
enum IdentityCrashPoint implements CrashPoint {
    /** The next key is on disk, and the server has not heard of it. */
    NEXT_KEY_KEPT,
    /** The server has the next key, and the file still calls it the next one. */
    REPLACED_THERE,
    /** The file has it too. */
    REPLACED_HERE
}
