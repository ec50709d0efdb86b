package dev.tallystick.server;

import static dev.tallystick.server.FaultyCalls.key;
import static dev.tallystick.server.FaultyCalls.read;
import static dev.tallystick.server.FaultyCalls.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.Deliveries;
import dev.tallystick.client.Messages;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Json;
import dev.tallystick.server.FaultyCalls.Ready;
import dev.tallystick.server.FaultyCalls.Repeat;
import dev.tallystick.server.FaultyCalls.Row;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** The calls about messages, topics, queues and webhooks. */
final class FaultyMessageCalls {

    private static final URI ANYWHERE = URI.create("https://shop.example/");

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row(
                "messages.send",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.messages().send(toAll(), key(name)),
                        () -> server.direct.messages().send(toAll(), key(name)).duplicate())));
        rows.add(row(
                "messages.sendAll",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> accepted(client.messages().sendAll(twoToAll(name))),
                        () -> server.direct.messages().send(toAll(), key(name)).duplicate())));
        rows.add(row("messages.find", Repeat.READS, (server, name) -> {
            UUID message = server.direct.messages().send(toAll(), key(name)).message();
            return Ready.of(client -> client.messages().find(message));
        }));
        rows.add(read("messages.history", (client, server) -> client.messages().history(null, 0, 10)));
        rows.add(read("messages.mentions", (client, server) -> client.messages().mentions(0, 10)));
        rows.add(read("messages.search", (client, server) -> client.messages().search("pump", 0, 10)));
        rows.add(row("deliveries.take", Repeat.SAME, (server, name) -> {
            fill(server, name);
            return new Ready(
                    client -> client.deliveries().take(take(name)),
                    () -> server.direct.deliveries().take(take(name)).isEmpty());
        }));
        rows.add(settling("deliveries.acknowledge", Deliveries::acknowledge));
        rows.add(settling("deliveries.extend", (deliveries, held) -> deliveries.extend(held, Duration.ofSeconds(30))));
        rows.add(
                settling("deliveries.release", (deliveries, held) -> deliveries.release(held, Duration.ofSeconds(30))));
        rows.add(read("topics.list", (client, server) -> client.topics().list()));
        rows.add(row(
                "topics.create",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.topics().create(name),
                        () -> server.direct.topics().list().contains(name))));
        rows.add(row("topics.delete", Repeat.GONE, (server, name) -> {
            server.direct.topics().create(name);
            return new Ready(
                    client -> client.topics().delete(name),
                    () -> !server.direct.topics().list().contains(name));
        }));
        rows.add(read("topics.subscribers", (client, server) -> client.topics().subscribers("all")));
        rows.add(row("topics.subscribe", Repeat.SAME, (server, name) -> {
            server.direct.topics().create(name);
            return new Ready(
                    client -> client.topics().subscribe(name, "admin"),
                    () -> server.direct.topics().subscribers(name).contains("admin"));
        }));
        rows.add(row("topics.unsubscribe", Repeat.GONE, (server, name) -> {
            server.direct.topics().create(name);
            server.direct.topics().subscribe(name, "admin");
            return new Ready(
                    client -> client.topics().unsubscribe(name, "admin"),
                    () -> server.direct.topics().subscribers(name).isEmpty());
        }));
        rows.add(read("queues.list", (client, server) -> client.queues().list()));
        rows.add(row(
                "queues.create",
                Repeat.SAME,
                (server, name) -> new Ready(
                        client -> client.queues().create(name),
                        () -> server.direct.queues().list().contains(name))));
        rows.add(row("queues.delete", Repeat.GONE, (server, name) -> {
            server.direct.queues().create(name);
            return new Ready(
                    client -> client.queues().delete(name),
                    () -> !server.direct.queues().list().contains(name));
        }));
        rows.add(row("webhooks.register", Repeat.TWICE, (server, name) -> {
            server.direct.topics().create(name);
            Destination topic = Destination.parse("topic:" + name);
            return new Ready(
                    client -> client.webhooks().register(topic, ANYWHERE),
                    () -> server.direct.webhooks().list().stream()
                            .anyMatch(webhook -> webhook.source().equals(topic)));
        }));
        rows.add(read("webhooks.list", (client, server) -> client.webhooks().list()));
        rows.add(row("webhooks.delete", Repeat.GONE, (server, name) -> {
            server.direct.topics().create(name);
            Destination topic = Destination.parse("topic:" + name);
            UUID webhook =
                    server.direct.webhooks().register(topic, ANYWHERE).webhook().id();
            return new Ready(
                    client -> client.webhooks().delete(webhook),
                    () -> server.direct.webhooks().list().stream()
                            .noneMatch(each -> each.id().equals(webhook)));
        }));
        rows.add(read("webhooks.dead", (client, server) -> client.webhooks().dead(null, 10)));
        return rows;
    }

    private static Messages.NewMessage toAll() {
        return Messages.NewMessage.toTopic("all", Json.of("hello"));
    }

    private static List<Messages.Keyed> twoToAll(String name) {
        return List.of(new Messages.Keyed(toAll(), key(name)), new Messages.Keyed(toAll(), key(name + " again")));
    }

    private static void accepted(List<Messages.Outcome> outcomes) {
        assertThat(outcomes).hasOnlyElementsOfType(Messages.Outcome.Accepted.class);
    }

    private static Deliveries.Take take(String queue) {
        return Deliveries.Take.atMost(1).fromQueue(queue);
    }

    private static void fill(FaultyCalls server, String queue) {
        server.direct.queues().create(queue);
        server.direct.messages().send(Messages.NewMessage.toQueue(queue, Json.of("hello")), key(queue));
    }

    /** Settles something that is held. */
    private static Row settling(String call, BiConsumer<Deliveries, List<Deliveries.Delivery>> settling) {
        return row(call, Repeat.SAME, (server, name) -> {
            fill(server, name);
            List<Deliveries.Delivery> held = server.direct.deliveries().take(take(name));
            return new Ready(
                    client -> settling.accept(client.deliveries(), held),
                    () -> server.direct.deliveries().take(take(name)).isEmpty());
        });
    }

    private FaultyMessageCalls() {}
}
