package dev.tallystick.engine.view;

import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list, newest first. A null matches every job.
 *
 * @param status {@link #OPEN}, or the text of a {@link JobOutcome}
 * @param attributes a job must have all of them
 * @param since submitted at this time or later
 * @param until submitted earlier than this
 * @param after the last job of the previous page
 */
public record JobQuery(
        String mesh,
        @Nullable String workflow,
        @Nullable String status,
        List<Attribute> attributes,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable JobId after,
        int limit) {

    public static final String OPEN = "open";

    public static final int LARGEST_PAGE = 1_000;

    private static final int PAGE = 100;

    public JobQuery {
        attributes = List.copyOf(attributes);
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + LARGEST_PAGE + " jobs, got " + limit);
        }
    }

    /** All jobs of a mesh. */
    public static JobQuery of(String mesh) {
        return new JobQuery(mesh, null, null, List.of(), null, null, null, PAGE);
    }

    public JobQuery workflow(String name) {
        return new JobQuery(mesh, name, status, attributes, since, until, after, limit);
    }

    public JobQuery status(String word) {
        return new JobQuery(mesh, workflow, word, attributes, since, until, after, limit);
    }

    public JobQuery with(Attribute attribute) {
        List<Attribute> all = new ArrayList<>(attributes);
        all.add(attribute);
        return new JobQuery(mesh, workflow, status, all, since, until, after, limit);
    }

    public JobQuery since(Instant time) {
        return new JobQuery(mesh, workflow, status, attributes, time, until, after, limit);
    }

    public JobQuery until(Instant time) {
        return new JobQuery(mesh, workflow, status, attributes, since, time, after, limit);
    }

    public JobQuery after(JobId last) {
        return new JobQuery(mesh, workflow, status, attributes, since, until, last, limit);
    }

    public JobQuery limit(int most) {
        return new JobQuery(mesh, workflow, status, attributes, since, until, after, most);
    }
}
