package dev.tallystick;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.view.JobQuery;
import dev.tallystick.engine.view.JobSummary;
import dev.tallystick.workflow.Attribute;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Instant;
import java.util.List;

/** Selects the jobs to list, newest first. Each call narrows the selection. Immutable. */
public final class JobFinder {

    private final Engine engine;
    private final JobQuery query;

    JobFinder(Engine engine, JobQuery query) {
        this.engine = engine;
        this.query = query;
    }

    public JobFinder workflow(String name) {
        return with(query.workflow(name));
    }

    /** Jobs whose attribute of this name has this value, either as submitted or as the job has set it since. */
    public JobFinder where(String attribute, String value) {
        return with(query.with(new Attribute(attribute, value)));
    }

    /** Jobs that have not closed. */
    public JobFinder open() {
        return with(query.status(JobQuery.OPEN));
    }

    /** Jobs that ended with this outcome. */
    public JobFinder ended(JobOutcome outcome) {
        return with(query.status(outcome.text()));
    }

    /** Jobs submitted at this time or later. */
    public JobFinder since(Instant time) {
        return with(query.since(time));
    }

    /** Jobs submitted before this time. */
    public JobFinder until(Instant time) {
        return with(query.until(time));
    }

    /** The next page: the jobs after the last one of a page. */
    public JobFinder after(JobId last) {
        return with(query.after(last));
    }

    /** The maximum number of jobs; 100 by default. */
    public JobFinder limit(int most) {
        return with(query.limit(most));
    }

    public List<JobSummary> list() {
        return engine.list(query);
    }

    private JobFinder with(JobQuery narrower) {
        return new JobFinder(engine, narrower);
    }
}
