package dev.tallystick.engine;

import java.time.Instant;
import java.util.Optional;

/**
 * A task as it stood when it was read.
 *
 * @param name what the workflow calls it
 * @param group who may claim it; empty if it was for one person
 * @param assignee who has it; empty if nobody has claimed it
 * @param dueAt when it escalates or expires
 */
public record TaskView(
        TaskId id,
        JobId job,
        String name,
        Optional<String> group,
        Optional<String> assignee,
        byte[] details,
        int escalations,
        Instant askedAt,
        Optional<Instant> dueAt) {}
