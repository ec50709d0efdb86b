/**
 * The key map: a prefix tree over tags, whose root stands in the head entry that ends every batch of the log.
 *
 * <p>Main types: {@link dev.tallystick.log.map.KeyMap}, the tree in a file; {@link dev.tallystick.log.map.MapProof}, which shows
 * that a tag is present with its commitment, or absent.
 *
 * <p>Invariant: a leaf stands at the shortest prefix that distinguishes its tag, so a set of leaves has one root. The file is
 * derived from the log and can be rebuilt; every node that is read from it is compared with the hash that its parent has.
 *
 * <p>Knows nothing of entries or of the log's tree.
 */
@NullMarked
package dev.tallystick.log.map;

import org.jspecify.annotations.NullMarked;
