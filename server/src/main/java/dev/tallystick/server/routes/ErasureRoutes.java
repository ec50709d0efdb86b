package dev.tallystick.server.routes;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.JobApi.JobErased;
import dev.tallystick.engine.upkeep.Erase;
import dev.tallystick.engine.upkeep.JobErasure;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.List;

/** Erasing closed jobs. */
public final class ErasureRoutes {

    private static final Duration SOON = Duration.ofSeconds(1);

    private final JobErasure erasure;

    public ErasureRoutes(JobErasure erasure) {
        this.erasure = erasure;
    }

    public List<Route> routes() {
        return List.of(Route.post("/v1/jobs/{id}/erase", this::erase)
                .summary("Delete everything personal of a closed job, for good. Asking again gives the first answer.")
                .roles(Role.ADMIN)
                .answers(JobErased.class)
                .refuses(ProblemCode.NOT_FOUND, ProblemCode.JOB_OPEN, ProblemCode.NOT_SEALED));
    }

    private Answer erase(Call call) {
        JobId job = new JobId(call.id("id"));
        return switch (erasure.erase(call.member().mesh(), job, call.member().id())) {
            case Erase.Erased erased -> Answer.ok(new JobErased(job.value(), erased.at(), erased.by()));
            case Erase.StillOpen open -> throw new Problem(ProblemCode.JOB_OPEN, open.what());
            case Erase.NotSealed waiting ->
                throw new Problem(
                                ProblemCode.NOT_SEALED,
                                "a fact about the job is on its way into the log: ask again in a second")
                        .retryAfter(SOON);
            case Erase.NoSuchJob none -> throw Call.notFound();
        };
    }
}
