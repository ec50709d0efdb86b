package dev.tallystick.server;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.BrokerCounts;
import dev.tallystick.server.http.Meters;
import java.util.function.ToDoubleFunction;

/** The broker's counters, read when they are scraped. */
final class BrokerMeters {

    static void bind(Meters meters, Broker broker) {
        count(meters, broker, "tally_accepted_total", "Submissions that were accepted.", BrokerCounts::accepted);
        count(meters, broker, "tally_duplicates_total", "Submissions that were repeats.", BrokerCounts::duplicates);
        count(meters, broker, "tally_keys_reused_total", "Keys that came with another request.", BrokerCounts::reused);
        count(meters, broker, "tally_rejected_total", "Submissions that were rejected.", BrokerCounts::rejected);
        count(meters, broker, "tally_over_limit_total", "Submissions over their budget.", BrokerCounts::overLimit);
        count(
                meters,
                broker,
                "tally_rate_limit_consumed_then_rejected_total",
                "Submissions that were counted against a budget, and rejected all the same.",
                BrokerCounts::consumedThenRejected);
        meters.gauge(
                "tally_orphans",
                "Rows without another that belongs to them, when it was looked last; not a number before that.",
                broker.orphans(),
                check -> check.last().map(report -> (double) report.total()).orElse(Double.NaN));
    }

    private static void count(
            Meters meters, Broker broker, String name, String description, ToDoubleFunction<BrokerCounts> value) {
        meters.counter(name, description, broker, source -> value.applyAsDouble(source.counts()));
    }

    private BrokerMeters() {}
}
