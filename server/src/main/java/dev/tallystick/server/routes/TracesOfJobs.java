package dev.tallystick.server.routes;

import dev.tallystick.broker.MessageErasure;
import dev.tallystick.engine.upkeep.JobTraces;
import dev.tallystick.exchange.books.PayloadErasure;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What the broker and the exchange keep of jobs. */
public final class TracesOfJobs implements JobTraces {

    private final MessageErasure messages = new MessageErasure();
    private final PayloadErasure payloads = new PayloadErasure();

    @Override
    public Optional<String> underWay(Tx tx, ErasedJob job) throws SQLException {
        return payloads.unsettled(tx, ids(job))
                .map(posting ->
                        "its posting " + posting + " is not settled: wait for the result, and erase the job then");
    }

    @Override
    public void erase(Tx tx, ErasedJob job) throws SQLException {
        messages.erase(tx, job.mesh(), job.id().value(), job.key());
        payloads.erase(tx, ids(job));
    }

    private static List<String> ids(ErasedJob job) {
        return job.requests().stream().map(UUID::toString).toList();
    }
}
