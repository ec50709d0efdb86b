package dev.tallystick;

import dev.tallystick.engine.Attribute;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.JobId;
import dev.tallystick.engine.JobOutcome;
import dev.tallystick.engine.JobQuery;
import dev.tallystick.engine.JobSummary;
import java.time.Instant;
import java.util.List;

/** Says which jobs to list, newest first. Every call narrows what was said before. Immutable. */
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

    /** Whose attribute of this name has this value, as it was submitted or as the job has said since. */
    public JobFinder where(String attribute, String value) {
        return with(query.with(new Attribute(attribute, value)));
    }

    /** Those that have not closed. */
    public JobFinder open() {
        return with(query.status(JobQuery.OPEN));
    }

    /** Those that have ended so. */
    public JobFinder ended(JobOutcome outcome) {
        return with(query.status(outcome.text()));
    }

    /** Submitted at this time or later. */
    public JobFinder since(Instant time) {
        return with(query.since(time));
    }

    /** Submitted earlier than this. */
    public JobFinder until(Instant time) {
        return with(query.until(time));
    }

    /** Those that follow the last job of a page: the next page. */
    public JobFinder after(JobId last) {
        return with(query.after(last));
    }

    /** At most so many; 100 unless said otherwise. */
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
