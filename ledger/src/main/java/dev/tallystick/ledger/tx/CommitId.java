package dev.tallystick.ledger.tx;

import dev.tallystick.ledger.git.Oid;

/** A Git commit ID: 40 hex digits. It locates the commit; the signed root inside proves it. */
public record CommitId(String hex) {

    public CommitId {
        if (!Oid.isHex(hex)) {
            throw new IllegalArgumentException("a commit has 40 lower-case hex digits, got '" + hex + "'");
        }
    }

    public static CommitId of(Oid id) {
        return new CommitId(id.toString());
    }

    public Oid oid() {
        return Oid.parse(hex);
    }

    @Override
    public String toString() {
        return hex;
    }
}
