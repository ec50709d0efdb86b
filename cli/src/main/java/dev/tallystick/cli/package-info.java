/** The {@code tally} command. */
@NullMarked
package dev.tallystick.cli;

import org.jspecify.annotations.NullMarked;
