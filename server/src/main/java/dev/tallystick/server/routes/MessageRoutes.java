package dev.tallystick.server.routes;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.message.History;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.Message;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.MessageApi.MessageAccepted;
import dev.tallystick.core.api.MessageApi.MessageView;
import dev.tallystick.core.api.MessageApi.Page;
import dev.tallystick.core.api.MessageApi.SendMessage;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.LongPolls;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages: send, and read back what was sent, by position. */
public final class MessageRoutes {

    private static final int USUAL_PAGE = 100;

    private final Broker broker;
    private final Submissions submissions;
    private final LongPolls longPolls;

    public MessageRoutes(Broker broker, Submissions submissions, LongPolls longPolls) {
        this.broker = broker;
        this.submissions = submissions;
        this.longPolls = longPolls;
    }

    public List<Route> routes() {
        return List.of(
                Route.post("/v1/messages", SendMessage.class, this::send)
                        .summary("Send a message to a topic, a member, a queue or a workflow.")
                        .roles(Role.MEMBER)
                        .underKey()
                        .answers(MessageAccepted.class)
                        .statuses(201, 200)
                        .refuses(
                                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                                ProblemCode.REQUEST_IN_PROGRESS,
                                ProblemCode.UNKNOWN_TOPIC,
                                ProblemCode.UNKNOWN_QUEUE,
                                ProblemCode.UNKNOWN_MEMBER,
                                ProblemCode.UNKNOWN_WORKFLOW,
                                ProblemCode.MENTIONS_REFUSED,
                                ProblemCode.OPTIONS_REFUSED,
                                ProblemCode.PAYLOAD_TOO_LARGE,
                                ProblemCode.OVER_LIMIT),
                Route.get("/v1/messages/{id}", this::message)
                        .summary("A message that you sent, that was sent to you or mentions you, or that all may read.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .answers(MessageView.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/history", this::history)
                        .summary(
                                "What was accepted, in the order of its positions. A reader that continues from next misses nothing.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query(
                                "destination",
                                "such as topic:alerts; everything in the mesh, for admins and observers, if missing")
                        .query("after", "the position to continue from")
                        .limit(USUAL_PAGE, History.MAX_PAGE)
                        .answers(Page.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/history/stream", this::stream)
                        .summary("The same as server-sent events; the id of an event is its position.")
                        .roles(Role.MEMBER, Role.OBSERVER)
                        .query("destination", "as for /v1/history")
                        .query("after", "the position to continue from; the header Last-Event-ID does the same")
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/mentions", this::mentions)
                        .summary("The messages that mention you.")
                        .roles(Role.MEMBER)
                        .query("after", "the position to continue from")
                        .limit(USUAL_PAGE, History.MAX_PAGE)
                        .answers(Page.class),
                Route.get("/v1/search", this::search)
                        .summary("Find messages of the mesh by their words, a little after they were accepted.")
                        .roles(Role.OBSERVER)
                        .query(
                                "words",
                                "all of them are to be there; \"a phrase\", -without; up to 1,000 characters and 20 minus signs")
                        .query("after", "the position to continue from")
                        .limit(USUAL_PAGE, History.MAX_PAGE)
                        .answers(Page.class));
    }

    private Answer send(Call call, SendMessage sent) {
        Submission submission = Submission.of(call.key(sent.clientMessageId()), Call.understood(sent::envelope));
        return submissions.submit(call, submission, MessageRoutes::accepted);
    }

    static MessageAccepted accepted(AcceptedMessage message, boolean duplicate) {
        return new MessageAccepted(
                message.id(), message.key().value(), message.history(), message.historyAvailable(), duplicate);
    }

    private Answer message(Call call) {
        Member reader = call.member();
        return broker.history()
                .message(reader, call.id("id"))
                .map(message -> Answer.ok(view(message)))
                .orElseThrow(Call::notFound);
    }

    private Answer history(Call call) {
        Destination destination = destination(call);
        return Answer.ok(page(broker.history()
                .read(
                        call.member().mesh(),
                        destination,
                        after(call),
                        call.number("limit", USUAL_PAGE, 1, History.MAX_PAGE))));
    }

    private Answer mentions(Call call) {
        Member reader = call.member();
        return Answer.ok(page(broker.history()
                .mentions(
                        reader.mesh(),
                        reader.id(),
                        after(call),
                        call.number("limit", USUAL_PAGE, 1, History.MAX_PAGE))));
    }

    private Answer search(Call call) {
        String words = call.parameter("words");
        if (words == null || words.isBlank()) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "say what to look for: /v1/search?words=…");
        }
        long after = after(call);
        int limit = call.number("limit", USUAL_PAGE, 1, History.MAX_PAGE);
        return Answer.ok(
                page(Call.understood(() -> broker.search().find(call.member().mesh(), words, after, limit))));
    }

    private Answer stream(Call call) {
        Destination destination = destination(call);
        String mesh = call.member().mesh();
        ServerSentEvents stream = new ServerSentEvents(broker.bells(), longPolls);
        return stream.from(call, after(call), (after, limit) -> broker.history().read(mesh, destination, after, limit));
    }

    /** Where to read, if the caller may. Another member's messages look as if they did not exist. */
    private static @Nullable Destination destination(Call call) {
        String text = call.parameter("destination");
        Member reader = call.member();
        if (text == null) {
            if (!reader.may(Role.OBSERVER)) {
                throw Call.notFound();
            }
            return null;
        }
        Destination destination = Call.understood(() -> Destination.parse(text));
        if (!mayRead(reader, destination)) {
            throw Call.notFound();
        }
        return destination;
    }

    private static boolean mayRead(Member reader, Destination destination) {
        return destination.kind() != Destination.Kind.MEMBER
                || destination.reference().equals(reader.name())
                || reader.may(Role.OBSERVER);
    }

    private static long after(Call call) {
        String text = call.lastEventId() == null ? call.parameter("after") : call.lastEventId();
        if (text == null) {
            return History.BEGINNING;
        }
        return Call.understood(() -> Math.max(History.BEGINNING, Long.parseLong(text)));
    }

    private static Page page(History.Page page) {
        return new Page(page.entries().stream().map(MessageRoutes::entry).toList(), page.next());
    }

    static Page.Entry entry(History.Entry entry) {
        return new Page.Entry(entry.position(), entry.id(), view(entry.message()));
    }

    static MessageView view(Message message) {
        Envelope envelope = message.envelope();
        IdempotencyKey key = message.key();
        return new MessageView(
                message.id(),
                message.sender(),
                envelope.to(),
                switch (envelope.body()) {
                    case Envelope.Body.Text text -> Json.of(text.text());
                    case Envelope.Body.Document document -> document.json();
                },
                envelope.priority(),
                envelope.meta().members().isEmpty() ? null : envelope.meta(),
                envelope.replyTo(),
                envelope.mentions(),
                key == null ? null : key.value(),
                message.acceptedAt());
    }
}
