package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.MalformedMessageException;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes what arrives at one side, and returns when all of it is recorded: each message as a change, as something known, or as
 * an issue. All messages are checked before the first is recorded, so that they share transactions.
 *
 * <p>Messages that a side cannot act on share one issue, whatever they claim: a sender could make up any number of names.
 *
 * @param <A> what is done with a genuine message
 */
public abstract class MessageReceiver<A> implements Transport.Receiver {

    private static final MessageId UNREADABLE = new MessageId("-");

    private final Participant self;
    private final Partners partners;
    private final Database database;
    private final Issues issues;

    protected MessageReceiver(Participant self, Partners partners, Database database, Issues issues) {
        this.self = self;
        this.partners = partners;
        this.database = database;
        this.issues = issues;
    }

    /** Ends the publishing of what a partner refused, in the transaction that records the refusal. */
    @FunctionalInterface
    protected interface Stop {
        void in(Tx tx) throws SQLException;
    }

    /** The result of checking a message. */
    protected sealed interface Checked<A> {

        /** It comes from whom it claims to come from; this records it. */
        record Genuine<A>(Supplier<CompletableFuture<A>> recording) implements Checked<A> {}

        /** It is recorded already. */
        record Done<A>() implements Checked<A> {}

        /** We cannot act on it. */
        record Unverified<A>(String why) implements Checked<A> {}
    }

    /** What was done with a message. */
    protected record Recorded<A>(Message message, A answer) {}

    private record Genuine<A>(Message message, byte[] bytes, Supplier<CompletableFuture<A>> recording) {}

    private record Pending<A>(Message message, byte[] bytes, CompletableFuture<A> answer) {}

    protected final boolean isSelf(Participant participant) {
        return participant.equals(self);
    }

    protected final boolean hasSigned(Participant partner, byte[] statement, BatchSignature signature) {
        return partners.hasSigned(partner, statement, signature);
    }

    /** The partner keeps our message as an issue: publishing it again would change nothing. */
    protected final Checked<A> refused(IssueKind kind, PostingRef ref, Body.Refusal refusal, byte[] bytes, Stop stop) {
        database.transact("record a refusal", tx -> {
            stop.in(tx);
            issues.raise(tx, List.of(Issue.of(kind, ref, bytes, refusal.issue())));
            return true;
        });
        return new Checked.Done<>();
    }

    /** Checks who sent and signed a message. */
    protected abstract Checked<A> check(Message message, byte[] bytes);

    /** Called after all messages are recorded. */
    protected abstract void recorded(List<Recorded<A>> all);

    @Override
    public final void receive(List<byte[]> messages) {
        List<Genuine<A>> genuine = new ArrayList<>();
        List<Issue> raised = new ArrayList<>();
        for (byte[] bytes : messages) {
            try {
                take(MessageFormat.read(bytes), bytes, genuine, raised);
            } catch (MalformedMessageException e) {
                raised.add(unverified(bytes, String.valueOf(e.getMessage())));
            }
        }
        List<Pending<A>> pending = genuine.stream()
                .map(each -> new Pending<>(
                        each.message(), each.bytes(), each.recording().get()))
                .toList();
        issues.raise(raised);
        List<Recorded<A>> all = new ArrayList<>();
        for (Pending<A> each : pending) {
            A answer = answer(each);
            if (answer != null) {
                all.add(new Recorded<>(each.message(), answer));
            }
        }
        recorded(all);
    }

    private void take(Message message, byte[] bytes, List<Genuine<A>> genuine, List<Issue> raised) {
        switch (check(message, bytes)) {
            case Checked.Genuine<A> good -> genuine.add(new Genuine<>(message, bytes, good.recording()));
            case Checked.Done<A> done -> {}
            case Checked.Unverified<A> bad -> raised.add(unverified(message.ref(), bytes, bad.why()));
        }
    }

    /** Null if the database refuses the message, which becomes an issue and must not block those behind it. */
    private @Nullable A answer(Pending<A> pending) {
        try {
            return pending.answer().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DefiniteFailureException refused && refused.reason() == Reason.REFUSED) {
                issues.raise(List.of(
                        unverified(pending.message().ref(), pending.bytes(), String.valueOf(refused.getMessage()))));
                return null;
            }
            if (e.getCause() instanceof TransactionException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private Issue unverified(PostingRef claimed, byte[] bytes, String why) {
        return unverified(bytes, why + ": " + claimed.producer() + " → " + claimed.consumer() + " " + claimed.id());
    }

    private Issue unverified(byte[] bytes, String why) {
        return new Issue(IssueKind.UNVERIFIED, self, self, UNREADABLE, bytes, why);
    }
}
