package dev.tallystick.broker;

import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.keys.Gate;
import java.util.concurrent.atomic.LongAdder;

/** Counts answers. */
final class Counters {

    private final LongAdder accepted = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder reused = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder overLimit = new LongAdder();
    private final LongAdder inProgress = new LongAdder();
    private final LongAdder busy = new LongAdder();
    private final LongAdder consumedThenRejected = new LongAdder();

    void count(Acceptance answer) {
        LongAdder counter = switch (answer) {
            case Acceptance.Accepted a -> accepted;
            case Acceptance.Duplicate a -> duplicates;
            case Acceptance.KeyReused a -> reused;
            case Acceptance.Rejected a -> rejected;
            case Acceptance.OverLimit a -> overLimit;
            case Acceptance.InProgress a -> inProgress;
            case Acceptance.Busy a -> busy;
        };
        counter.increment();
    }

    void consumedThenRejected() {
        consumedThenRejected.increment();
    }

    BrokerCounts read(Gate.Counts gate) {
        return new BrokerCounts(
                accepted.sum(),
                duplicates.sum(),
                reused.sum(),
                rejected.sum(),
                overLimit.sum(),
                inProgress.sum(),
                busy.sum(),
                consumedThenRejected.sum(),
                gate);
    }
}
