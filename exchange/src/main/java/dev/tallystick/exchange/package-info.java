/**
 * Postings and results between two participants, each with its own database. What is recorded on one side is recorded once on
 * the other, and neither side can deny or rewrite it.
 *
 * <p>Main types: {@link dev.tallystick.exchange.ExchangeSchema}, {@link dev.tallystick.exchange.ExchangeSettings}; the two
 * halves are in the packages {@code producer} and {@code consumer}.
 *
 * <p>Knows nothing of jobs and workflows.
 */
@NullMarked
package dev.tallystick.exchange;

import org.jspecify.annotations.NullMarked;
