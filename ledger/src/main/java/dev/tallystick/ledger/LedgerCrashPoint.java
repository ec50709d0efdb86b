package dev.tallystick.ledger;

import dev.tallystick.core.CrashPoint;

/** Where an append may die. In each of these places the ledger is whole and the next append works. */
public enum LedgerCrashPoint implements CrashPoint {
    /** The batch is in memory only. */
    BEFORE_OBJECTS,
    /** The objects are in a pack that anybody may see, and join with others; its name is not on disk for sure. */
    PACK_NAMED,
    /** The objects are on disk; nothing refers to them. */
    OBJECTS_FORCED,
    /** {@code main.lock} is ours. */
    REF_LOCKED,
    /** {@code main} names the new commit; the directory is not forced. */
    REF_MOVED,
    /** Everything is on disk; nobody was told. */
    REF_FORCED,
    /** A joined pack is on disk; the packs it replaces are still there. */
    PACKS_JOINED
}
