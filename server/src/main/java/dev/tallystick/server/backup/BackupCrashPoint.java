package dev.tallystick.server.backup;

import dev.tallystick.core.CrashPoint;

/** The points of a backup and a restore where a crash matters, besides the commits themselves. */
public enum BackupCrashPoint implements CrashPoint {
    /** The files of all tables are durable, the manifest is not there. */
    TABLES_COPIED,
    /** All tables are filled, that is not committed. */
    RESTORING
}
