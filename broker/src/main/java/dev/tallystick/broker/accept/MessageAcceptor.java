package dev.tallystick.broker.accept;

import dev.tallystick.broker.accept.AcceptHook.StartableJob;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.keys.Accept;
import dev.tallystick.keys.AcceptClaim;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The accepting transaction: keys, messages, history, deliveries, mentions and jobs of a batch.
 *
 * <p>Checks that depend on state, such as whether a topic exists, run after the key is bound. Otherwise a retry could be told
 * that its topic is gone while the original, which still found it, is about to commit. A refusal releases its key in the same
 * transaction, so that nothing remains.
 */
public final class MessageAcceptor implements Primitive<AcceptItem, Acceptance> {

    private final AcceptKeys keys;
    private final AcceptHook hook;
    private final CrashPoints crashPoints;
    private final AcceptStore store = new AcceptStore();

    public MessageAcceptor(AcceptKeys keys, AcceptHook hook, CrashPoints crashPoints) {
        this.keys = keys;
        this.hook = hook;
        this.crashPoints = crashPoints;
    }

    @Override
    public String name() {
        return "accept messages";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Object orderKey(AcceptItem item) {
        return item.key();
    }

    @Override
    public long bytes(AcceptItem item) {
        return item.envelope().body().bytes().length;
    }

    @Override
    public List<@Nullable Acceptance> apply(Tx tx, List<AcceptItem> items) throws SQLException {
        List<AcceptClaim> claims = items.stream().map(AcceptItem::claim).toList();
        List<Accept> bound = keys.accept(tx, claims);
        List<AcceptItem> fresh = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i++) {
            if (bound.get(i) instanceof Accept.Fresh) {
                fresh.add(items.get(i));
            }
        }
        Map<UUID, Rejection> rejections = rejections(tx, fresh);
        List<@Nullable Acceptance> answers = new ArrayList<>(items.size());
        List<AcceptItem> accepted = new ArrayList<>(fresh.size());
        List<AcceptClaim> refused = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            AcceptItem item = items.get(i);
            Acceptance answer = answer(item, bound.get(i), rejections.get(item.id()));
            answers.add(answer);
            if (answer instanceof Acceptance.Rejected) {
                refused.add(claims.get(i));
            } else if (bound.get(i) instanceof Accept.Fresh) {
                accepted.add(item);
            }
        }
        if (!refused.isEmpty()) {
            keys.withdraw(tx, refused);
        }
        if (!accepted.isEmpty()) {
            write(tx, accepted);
        }
        return answers;
    }

    /** What names something that is not there. Whether a workflow exists is the hook's business. */
    private Map<UUID, Rejection> rejections(Tx tx, List<AcceptItem> fresh) throws SQLException {
        Map<UUID, Rejection> rejections = new HashMap<>();
        store.unknownMentions(tx, fresh)
                .forEach((id, name) -> rejections.put(
                        id,
                        new Rejection(
                                Rejection.Code.UNKNOWN_MEMBER,
                                "it mentions '" + name + "', and there is no such member in this mesh")));
        List<AcceptItem> messages = fresh.stream()
                .filter(item -> item.envelope().to().kind() != Destination.Kind.WORKFLOW)
                .toList();
        Set<UUID> missing = messages.isEmpty() ? Set.of() : store.missing(tx, messages);
        messages.stream()
                .filter(item -> missing.contains(item.id()))
                .forEach(item ->
                        rejections.put(item.id(), unknown(item.envelope().to())));
        return rejections;
    }

    private void write(Tx tx, List<AcceptItem> accepted) throws SQLException {
        store.write(tx, accepted);
        crashPoints.reached(BrokerCrashPoint.MESSAGES_WRITTEN);
        List<StartableJob> jobs = new ArrayList<>();
        for (AcceptItem item : accepted) {
            if (item.plan() instanceof AcceptHook.Plan.Ready ready) {
                jobs.add(ready.job());
            }
        }
        if (!jobs.isEmpty()) {
            hook.start(tx, jobs);
            crashPoints.reached(BrokerCrashPoint.JOBS_WRITTEN);
        }
    }

    private static Acceptance answer(AcceptItem item, Accept bound, @Nullable Rejection rejection) {
        return switch (bound) {
            case Accept.Fresh fresh when rejection != null -> new Acceptance.Rejected(rejection);
            case Accept.Fresh fresh
            when item.plan() instanceof AcceptHook.Plan.Refused refused -> new Acceptance.Rejected(refused.why());
            case Accept.Fresh fresh -> new Acceptance.Accepted(AcceptedMessage.of(fresh.entry()));
            case Accept.Confirmed confirmed -> new Acceptance.Accepted(AcceptedMessage.of(confirmed.entry()));
            case Accept.Replayed replayed -> new Acceptance.Duplicate(AcceptedMessage.of(replayed.entry()));
            case Accept.Reused reused -> new Acceptance.KeyReused(reused.reuse());
        };
    }

    private static Rejection unknown(Destination to) {
        Rejection.Code code = switch (to.kind()) {
            case TOPIC -> Rejection.Code.UNKNOWN_TOPIC;
            case QUEUE -> Rejection.Code.UNKNOWN_QUEUE;
            case MEMBER -> Rejection.Code.UNKNOWN_MEMBER;
            case WORKFLOW -> Rejection.Code.UNKNOWN_WORKFLOW;
        };
        return new Rejection(code, "there is no " + to.kind().word() + " '" + to.reference() + "' in this mesh");
    }
}
