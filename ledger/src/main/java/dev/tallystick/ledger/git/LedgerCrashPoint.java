package dev.tallystick.ledger.git;

import dev.tallystick.core.CrashPoint;

/** Where an append may be killed. At each of these points the ledger is intact and the next append works. */
public enum LedgerCrashPoint implements CrashPoint {
    /** The batch is in memory only. */
    BEFORE_OBJECTS,
    /** The objects are in a visible pack, which another process may join with others; its name may not be on disk. */
    PACK_NAMED,
    /** The objects are on disk; nothing refers to them. */
    OBJECTS_FORCED,
    /** We hold {@code main.lock}. */
    REF_LOCKED,
    /** {@code main} names the new commit; the directory is not forced. */
    REF_MOVED,
    /** Everything is on disk; no caller has an answer. */
    REF_FORCED,
    /** A joined pack is on disk; the packs it replaces are still there. */
    PACKS_JOINED
}
