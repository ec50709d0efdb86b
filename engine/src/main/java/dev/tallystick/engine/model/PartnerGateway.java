package dev.tallystick.engine.model;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Posts the requests of jobs to participants of the exchange, in the engine's own transactions. Later the result of each is
 * passed to the engine, as a signal, until that succeeds.
 */
@FunctionalInterface
public interface PartnerGateway {

    /** For an engine without an exchange. */
    PartnerGateway NONE = (tx, requests) -> {
        Map<UUID, String> refused = new HashMap<>();
        requests.forEach(request -> refused.put(
                request.id(),
                "this process takes no part in an exchange: configure one before you ask '" + request.participant()
                        + "'"));
        return refused;
    };

    /**
     * Records the requests. A repeated request is recorded once, and every job that made it gets the result.
     *
     * @return why the others cannot be posted, by their id
     */
    Map<UUID, String> post(Tx tx, List<PartnerRequest> requests) throws SQLException;
}
