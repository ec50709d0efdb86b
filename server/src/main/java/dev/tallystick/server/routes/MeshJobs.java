package dev.tallystick.server.routes;

import dev.tallystick.engine.view.JobInfo;
import dev.tallystick.engine.view.JobReader;
import dev.tallystick.server.http.Call;
import dev.tallystick.workflow.JobId;

/** The jobs that a caller may see: those of its mesh. */
public final class MeshJobs {

    private final JobReader jobs;

    public MeshJobs(JobReader jobs) {
        this.jobs = jobs;
    }

    JobReader reader() {
        return jobs;
    }

    /** The job in the path, if it is in the caller's mesh. */
    JobInfo job(Call call) {
        return jobs.job(call.member().mesh(), new JobId(call.id("id"))).orElseThrow(Call::notFound);
    }
}
