package dev.tallystick.server.routes;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.ExchangeApi.BundleView;
import dev.tallystick.core.api.ExchangeApi.DifferenceList;
import dev.tallystick.core.api.ExchangeApi.IssueList;
import dev.tallystick.core.api.ExchangeApi.PostingList;
import dev.tallystick.core.api.ExchangeApi.Replayed;
import dev.tallystick.core.api.RawJson;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.Discrepancy;
import dev.tallystick.exchange.books.IssueRow;
import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.transport.TransportException;
import dev.tallystick.server.http.Access;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Postings to and from partners, for operators. They belong to the installation, not to a mesh. */
public final class ExchangeRoutes {

    private static final String PATH = "/v1/exchange/postings";
    private static final int USUAL_PAGE = 50;
    private static final int MAX_PAGE = 500;

    private final @Nullable ExchangeDesk desk;

    /** @param desk null if the server takes no part in an exchange */
    public ExchangeRoutes(@Nullable ExchangeDesk desk) {
        this.desk = desk;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PATH, this::list)
                        .summary("The newest postings of both directions that are not settled.")
                        .access(Access.operators(Role.OBSERVER))
                        .query("all", "true for settled ones too")
                        .limit(USUAL_PAGE, MAX_PAGE)
                        .answers(PostingList.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get(PATH + "/{posting}", this::show)
                        .summary("The postings with this id, ours and those of partners, with their audit trails.")
                        .access(Access.operators(Role.OBSERVER))
                        .answers(PostingList.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post(PATH + "/{posting}/replay", this::replay)
                        .summary("Publish an open posting, or a result that is not acknowledged, again soon.")
                        .answers(Replayed.class)
                        .statuses(202)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get(PATH + "/{posting}/bundle", this::bundle)
                        .summary("The evidence for a posting, for tally exchange verify.")
                        .access(Access.operators(Role.OBSERVER))
                        .query("from", "the participant that posted it to us; missing if we posted it")
                        .answers(BundleView.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.get("/v1/exchange/issues", this::issues)
                        .summary("The newest open consistency issues.")
                        .access(Access.operators(Role.OBSERVER))
                        .query("all", "true for resolved ones too")
                        .limit(USUAL_PAGE, MAX_PAGE)
                        .answers(IssueList.class)
                        .refuses(ProblemCode.NOT_FOUND),
                Route.post("/v1/exchange/partners/{participant}/reconcile", this::reconcile)
                        .summary("Compare our books with the partner's, and record every difference as an issue.")
                        .answers(DifferenceList.class)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.PARTNER_UNAVAILABLE));
    }

    static ExchangeDesk require(@Nullable ExchangeDesk desk) {
        if (desk == null) {
            throw new Problem(
                    ProblemCode.NOT_FOUND, "this server takes no part in an exchange: set TALLY_EXCHANGE to its file");
        }
        return desk;
    }

    private Answer list(Call call) {
        int limit = call.number("limit", USUAL_PAGE, 1, MAX_PAGE);
        return Answer.ok(postings(require(desk).records().list(isAll(call), limit)));
    }

    private Answer show(Call call) {
        List<View> views = require(desk).records().show(id(call));
        if (views.isEmpty()) {
            throw Call.notFound();
        }
        return Answer.ok(postings(views));
    }

    private Answer replay(Call call) {
        MessageId id = id(call);
        if (!require(desk).records().replay(id, call.member().name())) {
            throw Call.notFound();
        }
        return Answer.of(202, new Replayed(id.value()));
    }

    private Answer bundle(Call call) {
        ExchangeDesk at = require(desk);
        String from = call.parameter("from");
        Optional<Bundle> bundle = from == null
                ? at.records().posted(id(call), at.partners())
                : at.records().received(Call.understood(() -> new Participant(from)), id(call), at.partners());
        return Answer.ok(
                new BundleView(RawJson.of(bundle.orElseThrow(Call::notFound).toJson())));
    }

    private Answer issues(Call call) {
        int limit = call.number("limit", USUAL_PAGE, 1, MAX_PAGE);
        return Answer.ok(new IssueList(require(desk).issues().list(isAll(call), limit).stream()
                .map(IssueRow::shown)
                .toList()));
    }

    private Answer reconcile(Call call) {
        Participant partner = PartnerRoutes.participant(call);
        try {
            return Answer.ok(new DifferenceList(require(desk).reconcile(partner).orElseThrow(Call::notFound).stream()
                    .map(Discrepancy::shown)
                    .toList()));
        } catch (TransportException e) {
            throw new Problem(ProblemCode.PARTNER_UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private static PostingList postings(List<View> views) {
        return new PostingList(views.stream().map(View::shown).toList());
    }

    private static boolean isAll(Call call) {
        String all = call.parameter("all");
        if (all == null || all.equals("false")) {
            return false;
        }
        if (!all.equals("true")) {
            throw new Problem(ProblemCode.MALFORMED_REQUEST, "all is true or false");
        }
        return true;
    }

    private static MessageId id(Call call) {
        try {
            return new MessageId(call.name("posting"));
        } catch (IllegalArgumentException e) {
            throw Call.notFound();
        }
    }
}
