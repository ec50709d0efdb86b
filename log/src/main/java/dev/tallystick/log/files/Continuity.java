package dev.tallystick.log.files;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.log.ring.KeyRing;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.log.tree.MerkleProofs;
import dev.tallystick.log.tree.TiledSubtrees;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Whether a log only grew between two of its checkpoints. */
public sealed interface Continuity {

    /**
     * The older log is the beginning of the newer one.
     *
     * @param proof what shows it to anyone who has both checkpoints (RFC 6962, section 2.1.2)
     */
    record Continues(long oldSize, long newSize, List<Hash> proof) implements Continuity {}

    /** It is not, or the directory cannot show it. */
    record Refused(String reason) implements Continuity {}

    /**
     * Makes the proof from the tiles of a directory, or of a copy, and checks it against both checkpoints. Writes nothing.
     *
     * @param older was kept from before
     * @param newer is at most as large as the log in the directory
     */
    static Continuity between(Path directory, VerifierKey rootKey, SignedNote older, SignedNote newer)
            throws IOException {
        DirectoryFiles files = new DirectoryFiles(directory, CrashPoints.NONE);
        try {
            SignedNote there = StartChecks.note(files, DirectoryFiles.CHECKPOINT);
            LogState state = new StartChecks.StateReader(files).read(Checkpoint.parse(there.text()));
            KeyRing keys = StartChecks.keys(files, KeyRing.of(rootKey), state);
            Checkpoint old = keys.verify(older);
            Checkpoint now = keys.verify(newer);
            if (old.size() > now.size() || now.size() > state.size()) {
                return new Refused("the sizes do not grow: " + old.size() + ", " + now.size() + ", and " + state.size()
                        + " in the directory");
            }
            List<Hash> proof = MerkleProofs.consistency(
                    old.size(), now.size(), new TiledSubtrees(path -> TileFiles.read(files, state, path), now.size()));
            return MerkleProofs.consistent(old.size(), old.root(), now.size(), now.root(), proof)
                    ? new Continues(old.size(), now.size(), proof)
                    : new Refused("the log of size " + now.size() + " does not begin with the log of size " + old.size()
                            + ": it was rewritten");
        } catch (NoSuchFileException e) {
            return new Refused(e.getMessage() + " is missing");
        } catch (LogAlarm | IllegalArgumentException e) {
            return new Refused(String.valueOf(e.getMessage()));
        }
    }
}
