package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.TransactionException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a receiver cannot act on. They share one issue, whatever they claim: a sender could make up any number of names.
 * Thread-safe.
 */
public final class Unverified {

    private static final MessageId UNREADABLE = new MessageId("-");

    private final Participant self;
    private final Issues issues;

    public Unverified(Participant self, Issues issues) {
        this.self = self;
        this.issues = issues;
    }

    public Issue unreadable(byte[] bytes, String why) {
        return new Issue(IssueKind.UNVERIFIED, self, self, UNREADABLE, bytes, why);
    }

    public Issue of(PostingRef claimed, byte[] bytes, String why) {
        return unreadable(bytes, why + ": " + claimed.producer() + " → " + claimed.consumer() + " " + claimed.id());
    }

    /** The answer; null if the database refuses the message, which becomes an issue and must not block those behind it. */
    public <T> @Nullable T answer(PostingRef ref, byte[] bytes, CompletableFuture<T> recording) {
        try {
            return recording.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DefiniteFailureException refused && refused.reason() == Reason.REFUSED) {
                issues.raise(List.of(of(ref, bytes, String.valueOf(refused.getMessage()))));
                return null;
            }
            if (e.getCause() instanceof TransactionException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
