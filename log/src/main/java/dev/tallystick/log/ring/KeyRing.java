package dev.tallystick.log.ring;

import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import java.util.ArrayList;
import java.util.List;

/** The root key of a log and the verified rotations since. Immutable. */
public final class KeyRing {

    /** More rotations than this are refused. */
    public static final int MOST_ROTATIONS = 1_000;

    private final VerifierKey root;
    private final List<Rotation> rotations;
    private final List<VerifierKey> keys;

    private KeyRing(VerifierKey root, List<Rotation> rotations, List<VerifierKey> keys) {
        this.root = root;
        this.rotations = List.copyOf(rotations);
        this.keys = List.copyOf(keys);
    }

    public static KeyRing of(VerifierKey root) {
        if (root.type() != VerifierKey.Type.NOTE) {
            throw new IllegalArgumentException("a log's key signs notes; this one cosigns");
        }
        return new KeyRing(root, List.of(), List.of(root));
    }

    /**
     * This ring with one more rotation.
     *
     * @throws IllegalArgumentException if the key in force did not sign it, or it is not where a rotation must be
     */
    public KeyRing with(Rotation rotation) {
        if (rotations.size() == MOST_ROTATIONS) {
            throw new IllegalArgumentException("more than 1,000 rotations of keys");
        }
        Checkpoint checkpoint = rotation.checkpoint();
        VerifierKey next = rotation.next();
        String where = "the rotation at size " + checkpoint.size();
        if (!checkpoint.origin().equals(origin()) || !next.name().equals(origin())) {
            throw new IllegalArgumentException(where + " is of another log");
        }
        if (next.type() != VerifierKey.Type.NOTE) {
            throw new IllegalArgumentException(where + " names a key that cosigns");
        }
        if (checkpoint.size() <= lastRotation()) {
            throw new IllegalArgumentException(where + " is not after the one before");
        }
        if (!rotation.proof().checkpoint().isSignedBy(keys.getLast())) {
            throw new IllegalArgumentException(where + " is not signed by the key in force");
        }
        if (rotation.proof().index() != checkpoint.size() - 2
                || !rotation.proof().includes(rotation.entry())) {
            throw new IllegalArgumentException(where + " is not the last but one entry of its log");
        }
        List<Rotation> more = new ArrayList<>(rotations);
        more.add(rotation);
        List<VerifierKey> all = new ArrayList<>(keys);
        all.add(next);
        return new KeyRing(root, more, all);
    }

    public static KeyRing of(VerifierKey root, List<Rotation> rotations) {
        KeyRing ring = of(root);
        for (Rotation rotation : rotations) {
            ring = ring.with(rotation);
        }
        return ring;
    }

    /** The name of the log, which is the name of all its keys. */
    public String origin() {
        return root.name();
    }

    public VerifierKey root() {
        return root;
    }

    public List<Rotation> rotations() {
        return rotations;
    }

    /** The newest key. */
    public VerifierKey current() {
        return keys.getLast();
    }

    private long lastRotation() {
        return rotations.isEmpty() ? 0 : rotations.getLast().lastSize();
    }

    /** The key that signs a checkpoint of this size. */
    public VerifierKey inForceAt(long size) {
        for (int i = 0; i < rotations.size(); i++) {
            if (size <= rotations.get(i).lastSize()) {
                return keys.get(i);
            }
        }
        return keys.getLast();
    }

    /**
     * The checkpoint in a note of this log.
     *
     * @throws IllegalArgumentException with the reason, if the key in force at its size did not sign it
     */
    public Checkpoint verify(SignedNote note) {
        Checkpoint checkpoint = Checkpoint.parse(note.text());
        if (!checkpoint.origin().equals(origin())) {
            throw new IllegalArgumentException(
                    "the checkpoint is of the log '" + checkpoint.origin() + "', not of '" + origin() + "'");
        }
        VerifierKey wanted = inForceAt(checkpoint.size());
        if (note.isSignedBy(wanted)) {
            return checkpoint;
        }
        boolean outside = keys.stream().anyMatch(key -> !key.equals(wanted) && note.isSignedBy(key));
        throw new IllegalArgumentException(
                outside
                        ? "the checkpoint is signed by a key outside its range of sizes"
                        : "the checkpoint is not signed by the log's key");
    }
}
