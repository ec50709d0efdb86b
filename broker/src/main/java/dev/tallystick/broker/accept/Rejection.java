package dev.tallystick.broker.accept;

import java.util.Locale;

/** Why a submission was not accepted. */
public record Rejection(Code code, String detail) {

    /** The stable name of a reason. */
    public enum Code {
        /** The body, the meta data or the whole is larger than the limit. */
        PAYLOAD_TOO_LARGE(true),
        /** Too many members are mentioned, or a mention is not a valid member name. */
        MENTIONS_REFUSED(true),
        /** The options do not fit the destination, or cannot be met in any state of the system. */
        OPTIONS_REFUSED(true),
        /** There is no such topic in this mesh. */
        UNKNOWN_TOPIC(false),
        /** There is no such queue in this mesh. */
        UNKNOWN_QUEUE(false),
        /** There is no such member in this mesh. */
        UNKNOWN_MEMBER(false),
        /** There is no such workflow, or not in this version. */
        UNKNOWN_WORKFLOW(false),
        /** A job was accepted under this key before the database was restored, and whether it ran is not known here. */
        OUTCOME_UNKNOWN(false);

        private final boolean byRequestAlone;

        Code(boolean byRequestAlone) {
            this.byRequestAlone = byRequestAlone;
        }

        /** Whether the same request is always refused. Other rejections depend on state, and a repeat may pass. */
        public boolean isDeterminedByRequestAlone() {
            return byRequestAlone;
        }

        /** As written in problem documents. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
