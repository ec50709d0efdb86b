package dev.tallystick.postgres;

import dev.tallystick.core.CrashPoint;

/** The places where a process that starts a server may crash. After each, the next start must recover unattended. */
enum StartPoint implements CrashPoint {
    /** The lock file names us, but the directory is otherwise unchanged. */
    DIRECTORY_LOCKED,
    /** There is a password, but no cluster that knows it. */
    PASSWORD_WRITTEN,
    /** {@code initdb} runs, and continues when we die. */
    INITDB_RUNNING,
    /** The cluster is complete, under its provisional name. */
    CLUSTER_COMPLETE,
    /** The cluster has its final name; no server has ever run on it. */
    CLUSTER_IN_PLACE,
    /** The server process exists but may not have taken its own lock yet. */
    SERVER_LAUNCHED,
    /** The server accepts connections; no client knows yet. */
    SERVER_READY
}
