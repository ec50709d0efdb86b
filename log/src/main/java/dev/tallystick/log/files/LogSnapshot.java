package dev.tallystick.log.files;

import dev.tallystick.log.map.KeyMap;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.map.MapVersion;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.TlogProof;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.log.tree.TileSource;
import dev.tallystick.log.tree.TiledSubtrees;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A log as of one checkpoint: all its proofs end at that checkpoint. Immutable and thread-safe. */
public final class LogSnapshot implements TileSource {

    private final DirectoryFiles files;
    private final LogState state;
    private final @Nullable SignedNote checkpoint;
    private final KeyRing keys;
    private final KeyMap map;
    private final MapVersion version;

    LogSnapshot(DirectoryFiles files, LogState state, @Nullable SignedNote checkpoint, KeyRing keys, KeyMap map) {
        this.files = files;
        this.state = state;
        this.checkpoint = checkpoint;
        this.keys = keys;
        this.map = map;
        this.version = map.version();
    }

    /** The same log with cosignatures on its checkpoint. */
    public LogSnapshot with(SignedNote cosigned) {
        return new LogSnapshot(files, state, cosigned, keys, map);
    }

    /** The signed checkpoint; empty as long as the log has no entry. */
    public Optional<SignedNote> checkpoint() {
        return Optional.ofNullable(checkpoint);
    }

    public long size() {
        return state.size();
    }

    /** The keys of the log, with the proofs of their rotations. */
    public KeyRing keys() {
        return keys;
    }

    /** A tile or bundle in exactly the width that the path asks for. Partial ones of earlier sizes are there as well. */
    @Override
    public byte[] read(TilePath path) throws IOException {
        return TileFiles.read(files, state, path);
    }

    /** The bytes of an entry. */
    public byte[] entry(long index) throws IOException {
        if (index < 0 || index >= size()) {
            throw new IllegalArgumentException("the log has no entry " + index + ": its size is " + size());
        }
        return bundle(index / TilePath.FULL).get((int) (index % TilePath.FULL));
    }

    /** The entries of a bundle, as many as the log has. */
    public List<byte[]> bundle(long index) throws IOException {
        return TileFiles.entries(files, state, index);
    }

    /** Proves an entry under the checkpoint. */
    public TlogProof inclusion(long index) throws IOException {
        SignedNote note = checkpoint().orElseThrow(() -> new IllegalArgumentException("the log is empty"));
        long size = Checkpoint.parse(note.text()).size();
        return new TlogProof(index, MerkleProofs.inclusion(index, size, new TiledSubtrees(this, size)), note);
    }

    /** Proves that the log of the old size is the beginning of the log of the new size. */
    public List<Hash> consistency(long oldSize, long size) throws IOException {
        requireSize(size);
        return MerkleProofs.consistency(oldSize, size, new TiledSubtrees(this, size));
    }

    public Hash rootAt(long size) throws IOException {
        requireSize(size);
        return MerkleProofs.root(size, new TiledSubtrees(this, size));
    }

    private void requireSize(long size) {
        if (size > size()) {
            throw new IllegalArgumentException("the log has size " + size() + ", not " + size);
        }
    }

    /** What the key map of the checkpoint has for a tag. */
    public MapProof prove(Hash tag) throws IOException {
        return map.prove(tag, version);
    }

    LogState state() {
        return state;
    }

    KeyMap map() {
        return map;
    }
}
