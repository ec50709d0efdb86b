package dev.tallystick.server.http;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.ProblemCode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members' requests in progress, streams and long polls included, and who may begin another one. Members and meshes have
 * separate limits, and the last fifth of all slots is for meshes with few requests in progress: so those at their limit leave
 * room for the others. Thread-safe.
 */
final class RequestsInProgress {

    /** A request in progress, until it is closed. */
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /** For routes that everyone may use; connections have their own limits. */
    static final Place NONE = () -> {};

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int RESERVED_SHARE = 5;
    private static final int FEW_SHARE = 20;

    private final Limits limits;
    private final Map<String, Map<String, Integer>> members = new HashMap<>();
    private final Map<String, Integer> meshes = new HashMap<>();
    private int all;

    RequestsInProgress(Limits limits) {
        this.limits = limits;
    }

    /**
     * Begins a request.
     *
     * @throws Problem if the member, its mesh or all together have too many
     */
    synchronized Place begin(@Nullable Member member) {
        if (member == null) {
            return NONE;
        }
        String mesh = member.mesh();
        String name = member.name();
        int ofMesh = meshes.getOrDefault(mesh, 0);
        if (members.getOrDefault(mesh, Map.of()).getOrDefault(name, 0) >= limits.requestsPerMember()) {
            throw tooMany("this member has " + limits.requestsPerMember(), Limits.REQUESTS_PER_MEMBER);
        }
        if (ofMesh >= limits.requestsPerMesh()) {
            throw tooMany("this mesh has " + limits.requestsPerMesh(), Limits.REQUESTS_PER_MESH);
        }
        boolean few = ofMesh < Math.max(1, limits.requestsPerMesh() / FEW_SHARE);
        if (all >= limits.requests() - (few ? 0 : limits.requests() / RESERVED_SHARE)) {
            throw new Problem(ProblemCode.BUSY, "this server has too much to do: send the same request again")
                    .retryAfter(RETRY);
        }
        members.computeIfAbsent(mesh, each -> new HashMap<>()).merge(name, 1, Integer::sum);
        meshes.merge(mesh, 1, Integer::sum);
        all++;
        return () -> end(mesh, name);
    }

    synchronized int number() {
        return all;
    }

    private synchronized void end(String mesh, String name) {
        all--;
        meshes.computeIfPresent(mesh, (each, number) -> number == 1 ? null : number - 1);
        members.computeIfPresent(mesh, (each, names) -> {
            names.computeIfPresent(name, (other, number) -> number == 1 ? null : number - 1);
            return names.isEmpty() ? null : names;
        });
    }

    private static Problem tooMany(String who, String setting) {
        return new Problem(
                        ProblemCode.OVER_LIMIT,
                        who + " requests under way, streams and waits included: end one and send the same request"
                                + " again, or have the operator raise " + setting)
                .retryAfter(RETRY);
    }
}
