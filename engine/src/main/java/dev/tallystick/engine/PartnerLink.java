package dev.tallystick.engine;

import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.model.PartnerRequest;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Signalled;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Joins an engine with an exchange: requests of its jobs go out, and answers come back. Thread-safe. */
public final class PartnerLink {

    private final Function<SentSignal, CompletableFuture<Signalled>> send;
    private volatile PartnerGateway gateway = PartnerGateway.NONE;

    PartnerLink(Function<SentSignal, CompletableFuture<Signalled>> send) {
        this.send = send;
    }

    /** Lets jobs ask participants. Call it before the engine starts. */
    public void through(PartnerGateway other) {
        gateway = other;
    }

    Map<UUID, String> post(Tx tx, List<PartnerRequest> requests) throws SQLException {
        return gateway.post(tx, requests);
    }

    /** Brings a participant's answer to the job that asked. A repeat changes nothing. */
    public CompletableFuture<Signalled> answer(String mesh, JobId job, UUID request, PartnerAnswer answer) {
        SentSignal.Id id = new SentSignal.Id(job, PartnerAnswer.signal(request), request.toString());
        return send.apply(new SentSignal(mesh, id, answer.bytes()));
    }
}
