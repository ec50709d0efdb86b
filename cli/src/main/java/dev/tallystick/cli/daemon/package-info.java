/**
 * The commands {@code tally daemon}, {@code tally outbox} and {@code tally inbox}.
 */
@NullMarked
package dev.tallystick.cli.daemon;

import org.jspecify.annotations.NullMarked;
