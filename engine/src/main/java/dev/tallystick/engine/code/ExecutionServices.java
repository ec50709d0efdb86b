package dev.tallystick.engine.code;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.engine.record.Checkpoints;
import dev.tallystick.engine.record.Spans;
import dev.tallystick.engine.record.Transactions;
import dev.tallystick.workflow.Codec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The services that all bodies of an engine share.
 *
 * @param checkpoints commits checkpoints
 * @param reader reads the current record of an activity
 * @param children creates the job that an activity orders
 * @param successors creates the job that a body continues as
 * @param jobsAreDue signals that a checkpoint has left jobs to run
 * @param partners posts requests to participants of the exchange
 * @param poll how often a body with both waiting and working branches reads the record
 * @param lease how long a lease lasts before it must be extended
 */
public record ExecutionServices(
        Checkpoints checkpoints,
        Function<ActivityId, Optional<RecordedActivity>> reader,
        Function<ChildOrder, NewJob> children,
        Function<ChildOrder, NewJob> successors,
        Runnable jobsAreDue,
        Transactions transactions,
        PartnerGateway partners,
        Codec codec,
        InstantSource clock,
        RandomGenerator random,
        Duration poll,
        Duration lease,
        Spans spans,
        CrashPoints crashPoints) {}
