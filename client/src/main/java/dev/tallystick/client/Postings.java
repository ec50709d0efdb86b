package dev.tallystick.client;

import dev.tallystick.core.Json;
import dev.tallystick.core.api.ExchangeApi.BundleView;
import dev.tallystick.core.api.ExchangeApi.DifferenceList;
import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueList;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingList;
import dev.tallystick.core.api.ExchangeApi.PostingView;
import dev.tallystick.core.api.ExchangeApi.Replayed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the installation exchanges with its partners: postings, issues and evidence. For operators. Thread-safe. */
public final class Postings {

    private static final String PATH = "/v1/exchange/postings";

    private final Transport transport;

    Postings(Transport transport) {
        this.transport = transport;
    }

    /** The newest postings of both directions. */
    public List<PostingView> list(boolean alsoSettled, int limit) {
        Query query = new Query(PATH).with("all", alsoSettled).with("limit", limit);
        return transport.ask(query.read(), PostingList.class, PostingList::postings);
    }

    /** The postings with this id: one that this installation posted, and those that partners posted to it. */
    public List<PostingView> find(String id) {
        return transport.ask(Request.get(path(id)), PostingList.class, PostingList::postings);
    }

    /** Publishes an open posting, or a result that is not acknowledged, again soon. */
    public void replay(String id) {
        transport.ask(Request.post(path(id) + "/replay"), Replayed.class, Replayed::id, id);
    }

    /**
     * The evidence for a posting.
     *
     * @param from the participant that posted it; null if this installation did
     */
    public Json bundle(String id, @Nullable String from) {
        return transport.ask(
                new Query(path(id) + "/bundle").with("from", from).read(),
                BundleView.class,
                answer -> answer.bundle().json());
    }

    /** The newest consistency issues. */
    public List<IssueView> issues(boolean alsoResolved, int limit) {
        Query query = new Query("/v1/exchange/issues").with("all", alsoResolved).with("limit", limit);
        return transport.ask(query.read(), IssueList.class, IssueList::issues);
    }

    /**
     * Compares the books with those of a partner's server, and records every difference as an issue. Both servers read all
     * their postings for it: give the client the patience for that.
     */
    public List<DifferenceView> reconcile(String partner) {
        return transport.ask(
                Request.post("/v1/exchange/partners/" + Query.encode(partner) + "/reconcile"),
                DifferenceList.class,
                DifferenceList::differences);
    }

    private static String path(String id) {
        return PATH + "/" + Query.encode(id);
    }
}
