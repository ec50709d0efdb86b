package dev.tallystick.engine.code;

import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.model.PartnerRequest;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A body's request to a participant of the exchange: a transaction posts it, and its result arrives as a signal. */
record RemoteCall<T extends @Nullable Object>(
        String participant, @Nullable Object request, GenericType<T> type) {

    /** A request that cannot be posted never can. */
    static final Retry RETRY = Retry.DEFAULT.never(NotPostedException.class);

    /** A participant reads what it is sent, whatever codec our own record has. */
    private static final Codec PLAIN = new JsonCodec();

    String step() {
        return PartnerAnswer.step(participant);
    }

    /** Returns true, or throws: then nothing is posted. */
    boolean post(PartnerGateway partners, Tx tx, UUID id, String mesh, JobId job) throws SQLException {
        byte[] payload = Payloads.encode(PLAIN, request);
        String refused = partners.post(tx, List.of(new PartnerRequest(participant, id, payload, mesh, job)))
                .get(id);
        if (refused != null) {
            throw new NotPostedException(refused);
        }
        return true;
    }

    T read(byte[] signal) {
        PartnerAnswer answer = PartnerAnswer.read(signal);
        if (answer.reason() != null) {
            throw new StepFailedException(step(), answer.reason());
        }
        return Payloads.decode(PLAIN, step(), answer.payload(), type);
    }

    static final class NotPostedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotPostedException(String reason) {
            super(reason);
        }
    }
}
