package dev.tallystick.client;

import dev.tallystick.core.Json;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the installation exchanges with its partners: postings, issues and evidence. For operators. Thread-safe. */
public final class Postings {

    private static final String PATH = "/v1/exchange/postings";

    private final Transport transport;

    Postings(Transport transport) {
        this.transport = transport;
    }

    /**
     * One side's record of a posting.
     *
     * @param posted whether this installation posted it, or received it
     * @param attempts publications in the current sequence, or starts of the handler
     * @param failure the last failure of its handler; null if none
     * @param dueAt when something happens if no message arrives before; null if nothing has to
     * @param reason why the consumer rejected it; null if it did not
     */
    public record Posting(
            boolean posted,
            String producer,
            String consumer,
            String id,
            String ackStatus,
            String processingStatus,
            int attempts,
            int replays,
            @Nullable String failure,
            Instant inception,
            Instant deadline,
            @Nullable Instant dueAt,
            @Nullable String reason,
            List<String> audit) {

        static Posting of(Fields fields) {
            return new Posting(
                    fields.flag("posted"),
                    fields.text("n"),
                    fields.text("p"),
                    fields.text("id"),
                    fields.text("ack_status"),
                    fields.text("processing_status"),
                    fields.count("attempts"),
                    fields.count("replays"),
                    fields.optionalText("failure"),
                    fields.text("inception_datum", Instant::parse),
                    fields.text("deadline", Instant::parse),
                    fields.optionalText("due_at", Instant::parse),
                    fields.optionalText("reason"),
                    fields.texts("audit"));
        }
    }

    /**
     * A consistency issue.
     *
     * @param times how often it was raised
     * @param resolvedAt null while it is open
     */
    public record Issue(
            String kind,
            String producer,
            String consumer,
            String id,
            String detail,
            long times,
            Instant raisedAt,
            @Nullable Instant resolvedAt) {

        static Issue of(Fields fields) {
            return new Issue(
                    fields.text("kind"),
                    fields.text("n"),
                    fields.text("p"),
                    fields.text("id"),
                    fields.text("detail"),
                    fields.number("times"),
                    fields.text("raised_at", Instant::parse),
                    fields.optionalText("resolved_at", Instant::parse));
        }
    }

    /**
     * A posting about which the books of this installation and of a partner differ.
     *
     * @param day of its inception
     * @param here its status in the books of this installation; {@code -} if they lack it
     * @param there its status in the partner's books; {@code -} if they lack it
     */
    public record Difference(
            String kind, String producer, String consumer, String id, LocalDate day, String here, String there) {

        static Difference of(Fields fields) {
            return new Difference(
                    fields.text("kind"),
                    fields.text("n"),
                    fields.text("p"),
                    fields.text("id"),
                    fields.text("day", LocalDate::parse),
                    fields.text("here"),
                    fields.text("there"));
        }
    }

    /** The newest postings of both directions. */
    public List<Posting> list(boolean alsoSettled, int limit) {
        Query query = new Query(PATH).with("all", alsoSettled).with("limit", limit);
        return transport.ask(query.read(), answer -> answer.list("postings", Posting::of));
    }

    /** The postings with this id: one that this installation posted, and those that partners posted to it. */
    public List<Posting> find(String id) {
        return transport.ask(Request.get(path(id)), answer -> answer.list("postings", Posting::of));
    }

    /** Publishes an open posting, or a result that is not acknowledged, again soon. */
    public void replay(String id) {
        transport.ask(Request.post(path(id) + "/replay", null), answer -> answer.about("id", id));
    }

    /**
     * The evidence for a posting.
     *
     * @param from the participant that posted it; null if this installation did
     */
    public Json bundle(String id, @Nullable String from) {
        return transport.ask(
                new Query(path(id) + "/bundle").with("from", from).read(), answer -> answer.json("bundle"));
    }

    /** The newest consistency issues. */
    public List<Issue> issues(boolean alsoResolved, int limit) {
        Query query = new Query("/v1/exchange/issues").with("all", alsoResolved).with("limit", limit);
        return transport.ask(query.read(), answer -> answer.list("issues", Issue::of));
    }

    /**
     * Compares the books with those of a partner's server, and records every difference as an issue. Both servers read all
     * their postings for it: give the client the patience for that.
     */
    public List<Difference> reconcile(String partner) {
        return transport.ask(
                Request.post("/v1/exchange/partners/" + Query.encode(partner) + "/reconcile", null),
                answer -> answer.list("differences", Difference::of));
    }

    private static String path(String id) {
        return PATH + "/" + Query.encode(id);
    }
}
