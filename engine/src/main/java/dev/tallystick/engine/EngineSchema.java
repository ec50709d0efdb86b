package dev.tallystick.engine;

import dev.tallystick.sql.Migrations;

/** The engine's tables. */
public final class EngineSchema {

    public static final Migrations MIGRATIONS = Migrations.of(
            "engine",
            EngineSchema.class,
            "0001-jobs-activities-guids-postings.sql",
            "0010-time-outs.sql",
            "0011-continuations.sql",
            "0012-dead-letters.sql",
            "0020-schedules.sql",
            "0021-tasks.sql",
            "0022-attributes.sql",
            "0023-lanes.sql",
            "0030-open-tasks.sql",
            "0031-deployed-graphs.sql",
            "0032-job-events.sql",
            "0040-ends-of-jobs.sql",
            "0050-forks-of-graphs.sql",
            "0058-traces-of-jobs.sql",
            "0060-registered-workflows.sql",
            "0065-failures.sql",
            "0067-answers-to-workers.sql",
            "0068-keys-outlive-jobs.sql",
            "0069-lists-of-jobs.sql",
            "0070-queues-of-graphs.sql",
            "0071-schedules-that-wait.sql",
            "0073-rounds.sql",
            "0074-removed-graphs.sql",
            "0075-seal-queue.sql",
            "0076-sealed-jobs.sql",
            "0080-erasures.sql",
            "0081-restored.sql",
            "0082-origins-of-sealed-jobs.sql",
            "0083-identity-of-the-log.sql",
            "0084-witnesses-and-rotations.sql",
            "0088-successors-of-lost-logs.sql");

    private EngineSchema() {}
}
