package dev.tallystick.server.routes;

import dev.tallystick.engine.seal.OperatorActs;
import dev.tallystick.server.http.Call;
import dev.tallystick.sql.Also;
import dev.tallystick.workflow.JobId;
import java.util.Map;

/** Has what members do as operators sealed, in the transaction in which they do it. */
public final class SealedActs {

    private final OperatorActs acts = new OperatorActs();

    Also act(Call call, String action, String subject, Map<String, String> more) {
        return act(call.member().mesh(), call, action, subject, more);
    }

    /** An act in another mesh than that of the caller. */
    Also act(String mesh, Call call, String action, String subject, Map<String, String> more) {
        return acts.act(mesh, call.member().id(), action, subject, more);
    }

    Also act(Call call, String action, JobId job) {
        return act(call, action, job.toString(), Map.of());
    }

    /** An act that ends a member or a token. */
    Also ending(Call call, String action, String kind, String id) {
        return acts.ending(call.member().mesh(), call.member().id(), action, kind, id);
    }
}
