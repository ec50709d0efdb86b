package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.util.Map;

/** The workflows of a server. Thread-safe. */
public final class Workflows {

    private static final String PATH = "/v1/workflows";

    private final Exchange exchange;

    Workflows(Exchange exchange) {
        this.exchange = exchange;
    }

    /** All that the server can start, with their versions. */
    public Reply list() {
        return exchange.send(Request.get(PATH));
    }

    /** The versions of one. */
    public Reply versions(String workflow) {
        return exchange.send(Request.get(PATH + "?workflow=" + TallyClient.encode(workflow)));
    }

    public Reply show(String workflow, int version) {
        return exchange.send(Request.get(path(workflow, version)));
    }

    /**
     * Deploys a graph to all servers on the database of this one. The same graph again is welcome; another one under the same
     * version is refused.
     *
     * @param yaml a graph of this name and version
     */
    public Reply deploy(String workflow, int version, String yaml) {
        return exchange.send(
                Request.put(path(workflow, version), new Json.ObjectValue(Map.of("graph", Json.of(yaml)))));
    }

    private static String path(String workflow, int version) {
        return PATH + "/" + TallyClient.encode(workflow) + "/" + version;
    }
}
