/**
 * The commands {@code tally ledger …}, and their words.
 */
@NullMarked
package dev.tallystick.cli.ledger;

import org.jspecify.annotations.NullMarked;
