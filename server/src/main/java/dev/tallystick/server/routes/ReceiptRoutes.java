package dev.tallystick.server.routes;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.core.api.ReceiptApi.JobReceipt;
import dev.tallystick.core.api.ReceiptApi.ProvenKey;
import dev.tallystick.engine.seal.JobProof;
import dev.tallystick.engine.seal.Receipts;
import dev.tallystick.engine.seal.ShownFields;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** What proves jobs to people outside: receipts from the sealed log. Every server on the database hands them out. */
public final class ReceiptRoutes {

    private static final Duration SOON = Duration.ofSeconds(1);

    private final Receipts receipts;
    private final MeshJobs jobs;
    private final Function<ScopedKey, Optional<byte[]>> keyProver;

    /**
     * Routes on a database that any server seals.
     *
     * @param keyProver proves how often a key was accepted; empty if this server does not seal
     */
    public ReceiptRoutes(Receipts receipts, MeshJobs jobs, Function<ScopedKey, Optional<byte[]>> keyProver) {
        this.receipts = receipts;
        this.jobs = jobs;
        this.keyProver = keyProver;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/v1/jobs/{id}/receipt", this::receipt)
                        .summary("What proves the job, and its end once it has one, to people who trust the log's key.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("show", "only these fields of its records, as in outcome,output; all of them if missing")
                        .answers(JobReceipt.class)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.NOT_SEALED, ProblemCode.SEALING_OFF),
                Route.get("/v1/keys/{key}/proof", this::keyProof)
                        .summary("What proves how often your key was accepted: once, or never. It shows your secret.")
                        .roles(Role.MEMBER)
                        .answers(ProvenKey.class)
                        .refuses(ProblemCode.NOT_SEALED, ProblemCode.SEALING_OFF));
    }

    private Answer keyProof(Call call) {
        String name = call.name("key");
        ScopedKey key = new ScopedKey(call.member().scope(), Call.understood(() -> new IdempotencyKey(name)));
        return keyProver
                .apply(key)
                .map(proof -> Answer.ok(new ProvenKey(name, RawJson.of(proof))))
                .orElseThrow(() -> receipts.hasBegun()
                        ? new Problem(
                                ProblemCode.NOT_SEALED,
                                "ask the server that seals the jobs of this database, once it has")
                        : sealingOff());
    }

    private static Problem sealingOff() {
        return new Problem(
                ProblemCode.SEALING_OFF,
                "start a server on this database with --seal; the jobs that the database still has are then sealed");
    }

    private static Problem notYet() {
        return new Problem(ProblemCode.NOT_SEALED, "ask again in a second").retryAfter(SOON);
    }

    private Answer receipt(Call call) {
        UUID id = call.id("id");
        String mesh = call.member().mesh();
        String show = call.parameter("show");
        ShownFields shown =
                Call.understood(() -> ShownFields.of(show == null ? List.of() : List.of(show.split(",", -1))));
        return switch (receipts.prove(mesh, id, shown)) {
            case JobProof.Proven proven -> Answer.ok(new JobReceipt(id, RawJson.of(proven.receipt())));
            case JobProof.Pending pending -> throw notYet();
            case JobProof.Lost lost -> throw Call.notFound();
            case JobProof.Unsealed unsealed -> {
                if (jobs.reader().job(mesh, new JobId(id)).isEmpty()) {
                    throw Call.notFound();
                }
                throw unsealed.sealing() ? notYet() : sealingOff();
            }
        };
    }
}
