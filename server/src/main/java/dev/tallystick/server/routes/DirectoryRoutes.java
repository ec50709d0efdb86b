package dev.tallystick.server.routes;

import dev.tallystick.broker.member.Stock;
import dev.tallystick.broker.message.Directory;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Destination;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.DirectoryApi.Named;
import dev.tallystick.core.api.DirectoryApi.Names;
import dev.tallystick.core.api.DirectoryApi.Nothing;
import dev.tallystick.core.api.DirectoryApi.Subscribers;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.util.ArrayList;
import java.util.List;

/** Topics with their subscribers, and queues. A {@code PUT} creates them by name, and may be repeated. */
public final class DirectoryRoutes {

    private final Directory directory;
    private final Stock stock;

    public DirectoryRoutes(Directory directory, Stock stock) {
        this.directory = directory;
        this.stock = stock;
    }

    public List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        routes.addAll(of(Destination.Kind.TOPIC));
        routes.addAll(of(Destination.Kind.QUEUE));
        routes.add(Route.get("/v1/topics/{name}/subscribers", this::subscribers)
                .summary("Who subscribed to a topic.")
                .roles(Role.MEMBER, Role.OBSERVER)
                .answers(Subscribers.class)
                .refuses(ProblemCode.UNKNOWN_TOPIC));
        routes.add(Route.put("/v1/topics/{name}/subscribers/{member}", Nothing.class, (call, none) -> subscribe(call))
                .summary("Subscribe a member to a topic; members other than yourself only as an admin.")
                .roles(Role.MEMBER)
                .answers(Named.class)
                .refuses(ProblemCode.UNKNOWN_TOPIC, ProblemCode.UNKNOWN_MEMBER));
        routes.add(Route.delete("/v1/topics/{name}/subscribers/{member}", this::unsubscribe)
                .summary("End a subscription.")
                .roles(Role.MEMBER)
                .refuses(ProblemCode.NOT_FOUND));
        return routes;
    }

    private List<Route> of(Destination.Kind kind) {
        String word = kind.word();
        String path = "/v1/" + word + "s";
        return List.of(
                Route.get(
                                path,
                                call -> Answer.ok(
                                        new Names(directory.list(call.member().mesh(), kind))))
                        .summary("All " + word + "s of the mesh.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(Names.class),
                Route.put(path + "/{name}", Nothing.class, (call, none) -> create(call, kind))
                        .summary("Create a " + word + ".")
                        .roles(Role.ADMIN)
                        .answers(Named.class)
                        .statuses(201, 200)
                        .refuses(ProblemCode.TOO_MANY),
                Route.delete(path + "/{name}", call -> delete(call, kind))
                        .summary("Delete a " + word + ". What is on its way is still delivered.")
                        .roles(Role.ADMIN)
                        .refuses(ProblemCode.NOT_FOUND));
    }

    private Answer create(Call call, Destination.Kind kind) {
        String name = call.name("name");
        String mesh = call.member().mesh();
        boolean fresh = Call.understood(() -> {
            Destination destination = new Destination(kind, name);
            return directory.create(mesh, destination, stock.roomFor(mesh, destination));
        });
        return Answer.of(fresh ? 201 : 200, new Named(name));
    }

    private Answer delete(Call call, Destination.Kind kind) {
        if (!directory.delete(call.member().mesh(), new Destination(kind, call.name("name")))) {
            throw Call.notFound();
        }
        return Answer.nothing();
    }

    private Answer subscribers(Call call) {
        String topic = call.name("name");
        String mesh = call.member().mesh();
        if (!directory.exists(mesh, new Destination(Destination.Kind.TOPIC, topic))) {
            throw new Problem(ProblemCode.UNKNOWN_TOPIC, "create it first");
        }
        return Answer.ok(new Subscribers(topic, directory.subscribers(mesh, topic)));
    }

    private Answer subscribe(Call call) {
        String member = own(call);
        return switch (directory.subscribe(call.member().mesh(), call.name("name"), member)) {
            case DONE -> Answer.ok(new Named(member));
            case UNKNOWN_TOPIC -> throw new Problem(ProblemCode.UNKNOWN_TOPIC, "create it first");
            case UNKNOWN_MEMBER -> throw new Problem(ProblemCode.UNKNOWN_MEMBER, "create it first");
        };
    }

    private Answer unsubscribe(Call call) {
        if (!directory.unsubscribe(call.member().mesh(), call.name("name"), own(call))) {
            throw Call.notFound();
        }
        return Answer.nothing();
    }

    private static String own(Call call) {
        Member caller = call.member();
        String member = call.name("member");
        if (!member.equals(caller.name()) && !caller.may(Role.ADMIN)) {
            throw new Problem(ProblemCode.FORBIDDEN, "only an admin subscribes others");
        }
        return member;
    }
}
