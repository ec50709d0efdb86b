/**
 * The command {@code tally verify}, which needs files and no server.
 */
@NullMarked
package dev.tallystick.cli.seal;

import org.jspecify.annotations.NullMarked;
