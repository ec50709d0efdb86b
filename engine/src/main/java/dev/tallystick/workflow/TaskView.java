package dev.tallystick.workflow;

import java.time.Instant;
import java.util.Optional;

/**
 * A task at the time it was read.
 *
 * @param name as the workflow names it
 * @param group who may claim it; empty if it is for one person
 * @param assignee who holds it; empty if it is unclaimed
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
