package dev.tallystick.log.files;

import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;

/** The result of an attempt to commit a batch. */
public sealed interface Commit {

    /** The batch is durable, and the checkpoint of the directory is this one. */
    record Committed(SignedNote checkpoint) implements Commit {}

    /**
     * Another writer moved the checkpoint while this one was stopped. This call changed nothing, and this object is out of
     * date: close it and open the directory again.
     */
    record Superseded(Checkpoint current) implements Commit {}
}
