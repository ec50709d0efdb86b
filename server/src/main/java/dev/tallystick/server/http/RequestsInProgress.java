package dev.tallystick.server.http;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.ProblemCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The members' requests in progress, streams and long polls included, and who may begin another one. Members and meshes have
 * separate limits, and the last fifth of all slots is for meshes with few requests in progress: so those at their limit leave
 * room for the others. Thread-safe, and without a lock: a thread that the system stops in a lock would stop all requests.
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
    private final AtomicInteger all = new AtomicInteger();
    private final Counters<String> meshes = new Counters<>();
    private final Counters<Caller> callers = new Counters<>();

    private record Caller(String mesh, String name) {}

    RequestsInProgress(Limits limits) {
        this.limits = limits;
    }

    /**
     * Begins a request.
     *
     * @throws Problem if the member, its mesh or all together have too many
     */
    Place begin(@Nullable Member member) {
        if (member == null) {
            return NONE;
        }
        String mesh = member.mesh();
        Caller caller = new Caller(mesh, member.name());
        if (callers.up(caller, limits.requestsPerMember()) == Counters.FULL) {
            throw tooMany("this member has " + limits.requestsPerMember(), Limits.REQUESTS_PER_MEMBER);
        }
        int ofMesh = meshes.up(mesh, limits.requestsPerMesh());
        if (ofMesh == Counters.FULL) {
            callers.down(caller);
            throw tooMany("this mesh has " + limits.requestsPerMesh(), Limits.REQUESTS_PER_MESH);
        }
        boolean few = ofMesh <= Math.max(1, limits.requestsPerMesh() / FEW_SHARE);
        if (all.incrementAndGet() > limits.requests() - (few ? 0 : limits.requests() / RESERVED_SHARE)) {
            end(caller);
            throw new Problem(ProblemCode.BUSY, "this server has too much to do: send the same request again")
                    .retryAfter(RETRY);
        }
        return () -> end(caller);
    }

    int number() {
        return all.get();
    }

    private void end(Caller caller) {
        all.decrementAndGet();
        meshes.down(caller.mesh());
        callers.down(caller);
    }

    private static Problem tooMany(String who, String setting) {
        return new Problem(
                        ProblemCode.OVER_LIMIT,
                        who + " requests under way, streams and waits included: end one and send the same request"
                                + " again, or have the operator raise " + setting)
                .retryAfter(RETRY);
    }
}
