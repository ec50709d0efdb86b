/**
 * SQLite files that keep what was acknowledged.
 *
 * <p>{@link dev.tallystick.daemon.storage.StorageFile} opens one, checks that it is whole and durable, and migrates it; {@link
 * dev.tallystick.daemon.storage.GroupWriter} lets concurrent writers share one commit; {@link
 * dev.tallystick.daemon.storage.StorageException} says what is true after a failure.
 *
 * <p>Invariant: a write that has returned is on disk. This package does not know what the files contain.
 */
@NullMarked
package dev.tallystick.daemon.storage;

import org.jspecify.annotations.NullMarked;
