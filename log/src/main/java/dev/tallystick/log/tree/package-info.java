/**
 * The Merkle tree of RFC 6962 and its layout in C2SP tiles.
 *
 * <p>Main types: {@link dev.tallystick.log.tree.Hash}; {@link dev.tallystick.log.tree.MerkleProofs}, which makes and verifies
 * proofs; {@link dev.tallystick.log.tree.RightEdge}, which appends without the leaves; {@link dev.tallystick.log.tree.TilePath}
 * and {@link dev.tallystick.log.tree.TiledSubtrees}, which find a hash in a tile; {@link dev.tallystick.log.tree.EntryBundle}.
 *
 * <p>Invariant: a proof that verifies here binds a leaf, or an older tree, to a root under the sole assumption that SHA-256 has
 * no collisions. Malformed input is refused and never crashes.
 *
 * <p>Knows nothing of signatures, files or what an entry says.
 */
@NullMarked
package dev.tallystick.log.tree;

import org.jspecify.annotations.NullMarked;
