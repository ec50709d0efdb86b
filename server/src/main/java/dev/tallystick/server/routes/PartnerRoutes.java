package dev.tallystick.server.routes;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.PartnerApi.EntryList;
import dev.tallystick.core.api.PartnerApi.EntryView;
import dev.tallystick.core.api.PartnerApi.NodeHash;
import dev.tallystick.core.api.PartnerApi.NodeList;
import dev.tallystick.core.api.PartnerApi.Packet;
import dev.tallystick.core.api.PartnerApi.PacketTaken;
import dev.tallystick.core.api.PartnerApi.PeriodHash;
import dev.tallystick.core.api.PartnerApi.Roots;
import dev.tallystick.core.api.PartnerApi.WantedNodes;
import dev.tallystick.exchange.books.Books;
import dev.tallystick.exchange.books.HttpBooks.Side;
import dev.tallystick.exchange.books.Period;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.transport.Address;
import dev.tallystick.exchange.transport.PacketInbox;
import dev.tallystick.exchange.transport.Topic;
import dev.tallystick.server.http.Access;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of partners call: they deliver messages, and compare their books with ours. A partner is a member of the mesh
 * {@code default} with the role {@code partner} and the participant's name.
 */
public final class PartnerRoutes {

    private static final String BOOKS = "/v1/exchange/books/{participant}";
    private static final Duration BUSY = Duration.ofSeconds(2);
    private static final int MAX_NODES = 100;
    private static final Pattern NODE = Pattern.compile("[0-9a-f]{2}");
    private static final Pattern LEAF = Pattern.compile("[0-9a-f]{4}");

    private final @Nullable ExchangeDesk desk;

    /** @param desk null if the server takes no part in an exchange */
    public PartnerRoutes(@Nullable ExchangeDesk desk) {
        this.desk = desk;
    }

    public List<Route> routes() {
        return List.of(
                partner(Route.post("/v1/exchange/{topic}/{participant}", Packet.class, this::deliver)
                                .summary("Deliver messages to a participant: postings or results, as the topic says."))
                        .answers(PacketTaken.class)
                        .statuses(202)
                        .refuses(ProblemCode.BUSY),
                partner(Route.get(BOOKS, this::roots)
                                .summary("Hashes of the days on which we exchanged postings with this participant.")
                                .query("side", "posted for what we posted to it, received for what it posted to us"))
                        .answers(Roots.class),
                partner(Route.get(BOOKS + "/{books}/{day}", this::nodes).summary("Hashes of the parts of a day."))
                        .answers(NodeList.class),
                partner(Route.get(BOOKS + "/{books}/{day}/{node}", this::nodesBelow)
                                .summary("Hashes of the parts of a part of a day."))
                        .answers(NodeList.class),
                partner(Route.post(BOOKS + "/{books}/{day}/entries", WantedNodes.class, this::entries)
                                .summary("The postings in parts of a day."))
                        .answers(EntryList.class));
    }

    private static Route partner(Route route) {
        return route.access(Access.operators(Role.PARTNER)).refuses(ProblemCode.NOT_FOUND);
    }

    private Answer deliver(Call call, Packet body) {
        ExchangeDesk at = ExchangeRoutes.require(desk);
        Address address = address(call);
        if (!address.subject().equals(at.self())) {
            throw Call.notFound();
        }
        byte[] packet = Call.understood(() -> Base64.getDecoder().decode(body.packet()));
        return switch (at.inbox().deliver(address, packet)) {
            case PacketInbox.Delivery.Taken taken -> Answer.of(202, new PacketTaken(taken.messages()));
            case PacketInbox.Delivery.Busy busy ->
                throw new Problem(ProblemCode.BUSY, "too many messages wait here already: send them again later")
                        .retryAfter(BUSY);
            case PacketInbox.Delivery.Refused refused ->
                throw new Problem(ProblemCode.MALFORMED_REQUEST, "this is not a packet of messages");
        };
    }

    private static Address address(Call call) {
        for (Topic topic : Topic.values()) {
            if (topic.word().equals(call.name("topic"))) {
                return new Address(topic, participant(call));
            }
        }
        throw Call.notFound();
    }

    static Participant participant(Call call) {
        try {
            return new Participant(call.name("participant"));
        } catch (IllegalArgumentException e) {
            throw Call.notFound();
        }
    }

    private Answer roots(Call call) {
        Participant partner = itself(call);
        String word = call.parameter("side");
        for (Side side : Side.values()) {
            if (side.word().equals(word)) {
                ExchangeDesk.OpenBooks opened = ExchangeRoutes.require(desk).open(partner, side);
                return Answer.ok(new Roots(
                        opened.id().toString(),
                        opened.books().roots().entrySet().stream()
                                .map(each -> new PeriodHash(each.getKey().toString(), each.getValue()))
                                .toList()));
            }
        }
        throw new Problem(ProblemCode.MALFORMED_REQUEST, "side is posted or received");
    }

    private Answer nodes(Call call) {
        return Answer.ok(hashes(books(call).nodes(day(call))));
    }

    private Answer nodesBelow(Call call) {
        return Answer.ok(hashes(books(call).nodes(day(call), matching(NODE, call.name("node")))));
    }

    private Answer entries(Call call, WantedNodes wanted) {
        if (wanted.nodes().size() > MAX_NODES) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "ask for at most " + MAX_NODES + " nodes at once");
        }
        Set<String> nodes = new TreeSet<>();
        wanted.nodes().forEach(node -> nodes.add(matching(LEAF, node)));
        return Answer.ok(new EntryList(books(call).entries(day(call), nodes).stream()
                .map(entry -> new EntryView(entry.id(), entry.status(), entry.hash()))
                .toList()));
    }

    private static NodeList hashes(Map<String, String> hashes) {
        return new NodeList(hashes.entrySet().stream()
                .map(each -> new NodeHash(each.getKey(), each.getValue()))
                .toList());
    }

    private Books books(Call call) {
        return ExchangeRoutes.require(desk).find(itself(call), call.id("books")).orElseThrow(Call::notFound);
    }

    /** A partner sees what it exchanged itself, and operators see everything. */
    private static Participant itself(Call call) {
        Participant partner = participant(call);
        Member caller = call.member();
        if (!caller.may(Role.ADMIN) && !caller.name().equals(partner.name())) {
            throw Call.notFound();
        }
        return partner;
    }

    private static Period day(Call call) {
        try {
            return new Period(LocalDate.parse(call.name("day")));
        } catch (DateTimeParseException e) {
            throw Call.notFound();
        }
    }

    private static String matching(Pattern pattern, String node) {
        if (!pattern.matcher(node).matches()) {
            throw Call.notFound();
        }
        return node;
    }
}
