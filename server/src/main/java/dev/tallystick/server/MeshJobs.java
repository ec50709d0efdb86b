package dev.tallystick.server;

import dev.tallystick.engine.JobId;
import dev.tallystick.engine.JobInfo;
import dev.tallystick.engine.JobReader;

/** The jobs that a caller may see: those of its mesh. */
final class MeshJobs {

    private final JobReader jobs;

    MeshJobs(JobReader jobs) {
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
