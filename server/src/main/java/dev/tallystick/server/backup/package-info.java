/**
 * Backs a database up into a directory, and restores it.
 *
 * <p>Main types: {@link dev.tallystick.server.backup.Backup} and {@link dev.tallystick.server.backup.Restore}.
 *
 * <p>Invariant: a directory with a manifest is a complete backup of one moment, and every file in it has the digest that the
 * manifest says. A restore has happened completely or not at all.
 *
 * <p>Knows the tables from the catalogue, and nothing of what they mean.
 */
@NullMarked
package dev.tallystick.server.backup;

import org.jspecify.annotations.NullMarked;
