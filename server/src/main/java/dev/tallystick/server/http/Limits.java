package dev.tallystick.server.http;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.Setting;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of one request, one address, one member, one mesh, and all of them together.
 *
 * @param connections concurrent ones
 * @param connectionsPerAddress concurrent ones that serve no member's request: silent, slow, idle or without a token
 * @param requests concurrent ones of members, streams and long polls included
 * @param requestsPerMesh concurrent ones
 * @param requestsPerMember concurrent ones
 * @param silence how long a connection may take from being opened, or from an answer, to the end of the next request's head
 * @param arrival how long a whole body may take to arrive, and an answer to be taken
 */
public record Limits(
        int connections,
        int connectionsPerAddress,
        int requests,
        int requestsPerMesh,
        int requestsPerMember,
        Duration silence,
        Duration arrival) {

    public static final String CONNECTIONS = "TALLY_HTTP_CONNECTIONS";
    public static final String CONNECTIONS_PER_ADDRESS = "TALLY_HTTP_CONNECTIONS_PER_ADDRESS";
    public static final String REQUESTS = "TALLY_REQUESTS";
    public static final String REQUESTS_PER_MESH = "TALLY_REQUESTS_PER_MESH";
    public static final String REQUESTS_PER_MEMBER = "TALLY_REQUESTS_PER_MEMBER";

    private static final Logger LOG = LoggerFactory.getLogger(Limits.class);

    /** Bytes of a request's body: 1 MiB and a quarter. */
    public static final int BODY = 5 * 256 * 1024;

    /** Bytes of the headers. */
    static final int HEADERS = 32 * 1024;

    /** Bytes of the first line. */
    static final int PROLOGUE = 8 * 1024;

    /** The size and the nesting depth of JSON. */
    static final JsonLimits JSON = new JsonLimits(BODY, 128);

    /** How long a request may wait for an answer. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    public static final Limits DEFAULT =
            new Limits(10_000, 2_000, 5_000, 1_000, 500, Duration.ofSeconds(60), Duration.ofSeconds(30));

    public Limits {
        if (connections < 1 || connectionsPerAddress < 1) {
            throw new IllegalArgumentException(CONNECTIONS + " and " + CONNECTIONS_PER_ADDRESS + " are 1 or more, got "
                    + connections + " and " + connectionsPerAddress);
        }
        if (requestsPerMember < 1 || requestsPerMesh < requestsPerMember || requests < requestsPerMesh) {
            throw new IllegalArgumentException(REQUESTS_PER_MEMBER + " is 1 or more, " + REQUESTS_PER_MESH
                    + " no less than that, and " + REQUESTS + " no less again; got " + requestsPerMember + ", "
                    + requestsPerMesh + " and " + requests);
        }
    }

    /** The defaults, as changed by the environment. */
    public static Limits from(Map<String, String> environment) {
        return DEFAULT.withConnections(
                        Setting.number(environment, CONNECTIONS, DEFAULT.connections),
                        Setting.number(environment, CONNECTIONS_PER_ADDRESS, DEFAULT.connectionsPerAddress))
                .withRequests(
                        Setting.number(environment, REQUESTS, DEFAULT.requests),
                        Setting.number(environment, REQUESTS_PER_MESH, DEFAULT.requestsPerMesh),
                        Setting.number(environment, REQUESTS_PER_MEMBER, DEFAULT.requestsPerMember));
    }

    Limits withConnections(int number, int perAddress) {
        return new Limits(number, perAddress, requests, requestsPerMesh, requestsPerMember, silence, arrival);
    }

    Limits withRequests(int number, int perMesh, int perMember) {
        return new Limits(connections, connectionsPerAddress, number, perMesh, perMember, silence, arrival);
    }

    Limits withTimes(Duration newSilence, Duration newArrival) {
        return new Limits(
                connections,
                connectionsPerAddress,
                requests,
                requestsPerMesh,
                requestsPerMember,
                newSilence,
                newArrival);
    }

    /**
     * With fewer connections if the process may not open that many files: the web server stops listening for good when it
     * cannot open one for a new connection.
     */
    public Limits withinOpenFiles() {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return this;
        }
        long room = Math.max(1, system.getMaxFileDescriptorCount() / 2);
        if (connections <= room) {
            return this;
        }
        LOG.warn(
                "takes {} connections instead of {}, for this process may have {} files open: raise that (ulimit -n)",
                room,
                connections,
                system.getMaxFileDescriptorCount());
        return withConnections((int) room, (int) Math.min(room, connectionsPerAddress));
    }
}
