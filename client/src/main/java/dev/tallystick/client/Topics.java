package dev.tallystick.client;

import dev.tallystick.core.api.DirectoryApi.Named;
import dev.tallystick.core.api.DirectoryApi.Names;
import dev.tallystick.core.api.DirectoryApi.Nothing;
import dev.tallystick.core.api.DirectoryApi.Subscribers;
import java.util.List;

/** The topics of the mesh and their subscribers. Admins create topics; members subscribe themselves. Thread-safe. */
public final class Topics {

    private static final String PATH = "/v1/topics";

    private final Transport transport;

    Topics(Transport transport) {
        this.transport = transport;
    }

    public List<String> list() {
        return transport.ask(Request.get(PATH), Names.class).names();
    }

    /** Creates a topic, unless it exists. */
    public void create(String topic) {
        transport.ask(Request.put(path(topic), new Nothing()), Named.class, Named::name, topic);
    }

    /** Deletes a topic. Messages already on their way are still delivered. */
    public void delete(String topic) {
        transport.tell(Request.delete(path(topic)));
    }

    public List<String> subscribers(String topic) {
        return transport
                .ask(Request.get(path(topic) + "/subscribers"), Subscribers.class, Subscribers::topic, topic)
                .members();
    }

    /** From now on the member gets the topic's messages. Only admins subscribe other members. */
    public void subscribe(String topic, String member) {
        transport.ask(Request.put(subscription(topic, member), new Nothing()), Named.class, Named::name, member);
    }

    public void unsubscribe(String topic, String member) {
        transport.tell(Request.delete(subscription(topic, member)));
    }

    private static String path(String topic) {
        return PATH + "/" + Query.encode(topic);
    }

    private static String subscription(String topic, String member) {
        return path(topic) + "/subscribers/" + Query.encode(member);
    }
}
