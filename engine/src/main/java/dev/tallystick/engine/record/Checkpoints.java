package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;

/** Brings a {@link Checkpoint} to its end, with as many attempts as it takes. */
@FunctionalInterface
public interface Checkpoints {

    CheckpointResult commit(Checkpoint checkpoint);
}
