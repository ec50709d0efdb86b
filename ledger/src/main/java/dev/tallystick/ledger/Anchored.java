package dev.tallystick.ledger;

/** A root that is to be remembered elsewhere, so that nobody can take the ledger back behind it unseen. */
public record Anchored(CommitId commit, long position, String root) {}
