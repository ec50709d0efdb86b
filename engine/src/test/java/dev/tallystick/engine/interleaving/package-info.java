/**
 * Forces the order of events that a race needs: transactions that meet in the order that would break a rule, held at gates
 * instead of left to chance.
 */
@NullMarked
package dev.tallystick.engine.interleaving;

import org.jspecify.annotations.NullMarked;
