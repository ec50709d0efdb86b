package dev.tallystick.engine.seal;

import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** The copy of a log in the database: of the current one, or of one that was given up. */
sealed interface LogCopy {

    long size();

    /** The checkpoint that proves the most about an entry. */
    Optional<SignedNote> proving(long last);

    /** The last checkpoints of the keys that were replaced up to this size, by their sizes. */
    Map<Long, SignedNote> rotations(Tx tx, long size) throws SQLException;

    /** The tile, which may be wider than the path asks for. */
    Optional<byte[]> tile(Tx tx, TilePath path) throws SQLException;

    record Current(SealStore.Anchor anchor) implements LogCopy {

        @Override
        public long size() {
            return anchor.size();
        }

        @Override
        public Optional<SignedNote> proving(long last) {
            return anchor.proving(last);
        }

        @Override
        public Map<Long, SignedNote> rotations(Tx tx, long size) throws SQLException {
            return new SealStore().rotations(tx, size);
        }

        @Override
        public Optional<byte[]> tile(Tx tx, TilePath path) throws SQLException {
            return new TileStore().read(tx, path);
        }
    }

    record GivenUp(SuccessionStore.Old old) implements LogCopy {

        @Override
        public long size() {
            return old.size();
        }

        @Override
        public Optional<SignedNote> proving(long last) {
            return old.proving(last);
        }

        @Override
        public Map<Long, SignedNote> rotations(Tx tx, long size) throws SQLException {
            return new SuccessionStore().rotations(tx, old.number(), size);
        }

        @Override
        public Optional<byte[]> tile(Tx tx, TilePath path) throws SQLException {
            return new SuccessionStore().tile(tx, old.number(), path);
        }
    }
}
