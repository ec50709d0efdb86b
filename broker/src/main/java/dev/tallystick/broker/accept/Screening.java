package dev.tallystick.broker.accept;

import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.MessageColumns;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Names;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.KeyReuse;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is decided about a submission before any transaction. Thread-safe. */
public final class Screening {

    private final int maxPayload;
    private final int maxMentions;
    private final AcceptHook hook;

    public Screening(int maxPayload, int maxMentions, AcceptHook hook) {
        this.maxPayload = maxPayload;
        this.maxMentions = maxMentions;
        this.hook = hook;
    }

    /** The answer to a submission whose key is bound. */
    public static Acceptance repeated(KeyEntry entry, Fingerprint offered) {
        return entry.answering(offered)
                .<Acceptance>map(same -> new Acceptance.Duplicate(AcceptedMessage.of(same)))
                .orElseGet(() -> new Acceptance.KeyReused(KeyReuse.of(entry.key(), entry.fingerprint(), offered)));
    }

    /** Checks that depend on the request alone. */
    public Optional<Rejection> check(Submission submission) {
        Envelope envelope = submission.envelope();
        int bytes =
                envelope.body().bytes().length + MessageColumns.meta(envelope).length();
        if (bytes > maxPayload) {
            return Optional.of(new Rejection(
                    Rejection.Code.PAYLOAD_TOO_LARGE,
                    "body and meta have " + bytes + " bytes; the limit is " + maxPayload));
        }
        if (envelope.mentions().size() > maxMentions) {
            return Optional.of(new Rejection(
                    Rejection.Code.MENTIONS_REFUSED,
                    envelope.mentions().size() + " members are mentioned; the limit is " + maxMentions));
        }
        if (!envelope.mentions().stream().allMatch(Names::isName)) {
            return Optional.of(new Rejection(Rejection.Code.MENTIONS_REFUSED, "a mention is not a valid member name"));
        }
        if (envelope.to().kind() != Destination.Kind.WORKFLOW
                && !submission.options().equals(JobOptions.NONE)) {
            return Optional.of(
                    new Rejection(Rejection.Code.OPTIONS_REFUSED, "only jobs take version, not_before and attributes"));
        }
        return Optional.empty();
    }

    public AcceptHook.@Nullable Plan plan(UUID id, Member member, Submission submission) {
        return submission.envelope().to().kind() == Destination.Kind.WORKFLOW
                ? hook.plan(id, member, submission)
                : null;
    }
}
