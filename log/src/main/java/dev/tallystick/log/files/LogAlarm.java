package dev.tallystick.log.files;

import java.nio.file.Path;

/**
 * The log is not what its writer left. Sealing stops, a human decides, and nothing is overwritten. Trying again does not help.
 */
public final class LogAlarm extends RuntimeException {

    /** What is wrong. */
    public enum Reason {
        /** The anchor names a size, but there is no directory or no checkpoint. */
        MISSING,
        /** A file that the checkpoint needs is missing or has other bytes than the tree says. */
        DAMAGED,
        /** The checkpoint belongs to another log. */
        OTHER_LOG,
        /** The keys of this process are not those of the log. */
        OTHER_KEYS,
        /** The key in force did not sign the checkpoint. */
        BAD_SIGNATURE,
        /** The checkpoint is older than the anchor. */
        ROLLED_BACK,
        /** The checkpoint is not a continuation of the anchor or of what was read before. */
        FORKED,
        /** The checkpoint or a file is ahead of the anchor, and no intent explains it: the database lost a commit. */
        AHEAD_WITHOUT_INTENT,
        /** A file exists already, with other bytes. */
        OTHER_BYTES,
        /** The key map of the entries is not the one in the last head. */
        WRONG_MAP,
        /** The recorded intent does not follow from its entries. */
        WRONG_INTENT
    }

    private final Reason reason;
    private final transient Path file;

    public LogAlarm(Reason reason, Path file, String message) {
        super(file + ": " + message);
        this.reason = reason;
        this.file = file;
    }

    LogAlarm(Reason reason, Path file, String message, Exception cause) {
        super(file + ": " + message, cause);
        this.reason = reason;
        this.file = file;
    }

    public Reason reason() {
        return reason;
    }

    public Path file() {
        return file;
    }
}
