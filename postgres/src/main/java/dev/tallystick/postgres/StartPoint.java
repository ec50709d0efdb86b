package dev.tallystick.postgres;

import dev.tallystick.core.CrashPoint;

/** Where a process that starts a server may die. From each of them the next start must recover unattended. */
enum StartPoint implements CrashPoint {
    /** The lock file names us, the directory is otherwise as it was. */
    DIRECTORY_LOCKED,
    /** There is a password, and no cluster that knows it. */
    PASSWORD_WRITTEN,
    /** {@code initdb} runs, and goes on running when we die. */
    INITDB_RUNNING,
    /** The cluster is complete, under its provisional name. */
    CLUSTER_COMPLETE,
    /** The cluster has its name; no server has ever run on it. */
    CLUSTER_IN_PLACE,
    /** The server process exists but has perhaps not even taken its own lock. */
    SERVER_LAUNCHED,
    /** The server accepts connections; nobody has been told. */
    SERVER_READY
}
