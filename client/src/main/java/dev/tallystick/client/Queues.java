package dev.tallystick.client;

import dev.tallystick.core.api.DirectoryApi.Named;
import dev.tallystick.core.api.DirectoryApi.Names;
import dev.tallystick.core.api.DirectoryApi.Nothing;
import java.util.List;

/** The queues of the mesh, created by admins. Take their messages with {@link Deliveries}. Thread-safe. */
public final class Queues {

    private static final String PATH = "/v1/queues";

    private final Transport transport;

    Queues(Transport transport) {
        this.transport = transport;
    }

    public List<String> list() {
        return transport.ask(Request.get(PATH), Names.class).names();
    }

    /** Creates a queue, unless it exists. */
    public void create(String queue) {
        transport.ask(Request.put(path(queue), new Nothing()), Named.class, Named::name, queue);
    }

    /** Deletes a queue. Messages already on their way are still delivered. */
    public void delete(String queue) {
        transport.tell(Request.delete(path(queue)));
    }

    private static String path(String queue) {
        return PATH + "/" + Query.encode(queue);
    }
}
