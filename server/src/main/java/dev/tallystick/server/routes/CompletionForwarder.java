package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Announcement;
import dev.tallystick.broker.model.CompletionWatch;
import dev.tallystick.core.Json;
import dev.tallystick.engine.view.JobCompletion;
import dev.tallystick.engine.view.JobCompletionStore;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Passes the ends of the engine's jobs to the broker, in the terms of this API. Results are left out: callers who may see them
 * ask for them.
 */
final class CompletionForwarder implements CompletionWatch {

    private final JobCompletionStore ends = new JobCompletionStore();

    @Override
    public void watch(Tx tx, String watcher, String mesh, String workflow) throws SQLException {
        ends.watch(tx, watcher, mesh, workflow);
    }

    @Override
    public void unwatch(Tx tx, String watcher) throws SQLException {
        ends.unwatch(tx, watcher);
    }

    @Override
    public List<Announcement> take(Tx tx, int limit) throws SQLException {
        return ends.take(tx, limit).stream()
                .map(CompletionForwarder::announcement)
                .toList();
    }

    private static Announcement announcement(JobCompletion end) {
        Map<String, Json> body = new TreeMap<>();
        body.put("job_id", Json.of(end.job().toString()));
        body.put("first_job_id", Json.of(end.firstJob().toString()));
        body.put("workflow", Json.of(end.workflow()));
        body.put("version", Json.of(end.version()));
        body.put("status", Json.of(end.outcome().text()));
        body.put("closed_at", Json.of(end.at().toString()));
        if (end.error() != null) {
            body.put("error", Json.of(end.error()));
        }
        return Announcement.ofEnd(end.job().value(), end.mesh(), end.workflow(), new Json.ObjectValue(body));
    }
}
