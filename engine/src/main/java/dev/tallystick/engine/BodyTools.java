package dev.tallystick.engine;

import dev.tallystick.core.CrashPoints;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * What every body of an engine works with.
 *
 * @param mover brings a move to its end
 * @param reader what the record says of an activity now
 * @param children makes the job that an activity orders
 * @param successors makes the job that a body goes on as
 * @param jobsAreDue rung when a move has left jobs for somebody to run
 * @param poll how often a body that waits beside others looks at the record
 * @param lease how long a body is held before it must be extended
 */
record BodyTools(
        Moves mover,
        Function<ActivityId, Optional<RecordedActivity>> reader,
        Function<ChildOrder, NewJob> children,
        Function<ChildOrder, NewJob> successors,
        Runnable jobsAreDue,
        Transactions transactions,
        Codec codec,
        InstantSource clock,
        RandomGenerator random,
        Duration poll,
        Duration lease,
        Spans spans,
        CrashPoints crashPoints) {}
