/**
 * The commands {@code tally verify} and {@code tally log}, which need files and no server.
 */
@NullMarked
package dev.tallystick.cli.seal;

import org.jspecify.annotations.NullMarked;
