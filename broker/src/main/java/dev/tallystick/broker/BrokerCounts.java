package dev.tallystick.broker;

import dev.tallystick.keys.Gate;

/**
 * A broker's answers since it started, and how full its gate is.
 *
 * @param consumedThenRejected submissions that were charged to a budget and then rejected
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
