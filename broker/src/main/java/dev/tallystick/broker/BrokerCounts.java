package dev.tallystick.broker;

import dev.tallystick.keys.Gate;

/**
 * What a broker has answered since it began, and how full its gate is.
 *
 * @param consumedThenRejected submissions that were counted against a budget, and rejected all the same
 */
public record BrokerCounts(
        long accepted,
        long duplicates,
        long reused,
        long rejected,
        long overLimit,
        long inProgress,
        long busy,
        long consumedThenRejected,
        Gate.Counts gate) {}
