package dev.tallystick.exchange.consumer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Unverified;
import dev.tallystick.exchange.consumer.Arrived.Answer;
import dev.tallystick.exchange.message.MalformedMessageException;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Takes postings, acknowledgements and refusals: checks who signed them, records them, and returns when all of them are
 * recorded, each as a change, as something known, or as an issue.
 */
final class PostingReceiver implements Transport.Receiver {

    private final Participant self;
    private final Partners partners;
    private final Database database;
    private final GroupCommitter committer;
    private final ReceivedStore store;
    private final Issues issues;
    private final Unverified unverified;
    private final RecordReceived postings;
    private final RecordAcknowledgements acknowledgements;
    private final Consumer<List<Answer>> answered;
    private final CrashPoints crashPoints;

    /** @param answered gets the answers, after all are recorded */
    PostingReceiver(
            Participant self,
            Partners partners,
            Database database,
            GroupCommitter committer,
            ReceivedStore store,
            Issues issues,
            RecordReceived postings,
            RecordAcknowledgements acknowledgements,
            Consumer<List<Answer>> answered,
            CrashPoints crashPoints) {
        this.self = self;
        this.partners = partners;
        this.database = database;
        this.committer = committer;
        this.store = store;
        this.issues = issues;
        this.unverified = new Unverified(self, issues);
        this.postings = postings;
        this.acknowledgements = acknowledgements;
        this.answered = answered;
        this.crashPoints = crashPoints;
    }

    private record Pending(PostingRef ref, byte[] bytes, CompletableFuture<Answer> answer) {}

    @Override
    public void receive(List<byte[]> messages) {
        List<Pending> pending = new ArrayList<>();
        List<Issue> raised = new ArrayList<>();
        for (byte[] bytes : messages) {
            try {
                take(MessageFormat.read(bytes), bytes, pending, raised);
            } catch (MalformedMessageException e) {
                raised.add(unverified.unreadable(bytes, String.valueOf(e.getMessage())));
            }
        }
        issues.raise(raised);
        List<Answer> answers = new ArrayList<>();
        for (Pending each : pending) {
            Answer answer = unverified.answer(each.ref(), each.bytes(), each.answer());
            if (answer != null) {
                answers.add(answer);
            }
        }
        if (answers.stream().anyMatch(answer -> answer instanceof Answer.New)) {
            crashPoints.reached(ExchangeCrashPoint.POSTING_RECEIVED);
        }
        if (answers.stream().anyMatch(answer -> answer instanceof Answer.Done)) {
            crashPoints.reached(ExchangeCrashPoint.ACKNOWLEDGEMENT_RECORDED);
        }
        answered.accept(answers);
    }

    private void take(Message message, byte[] bytes, List<Pending> pending, List<Issue> raised) {
        PostingRef ref = message.ref();
        if (!ref.consumer().equals(self)) {
            raised.add(unverified.of(ref, bytes, "addressed to another consumer"));
            return;
        }
        switch (message.body()) {
            case Body.Posting posting
            when hasContent(ref, posting) && hasSigned(ref, Statement.ofPosting(ref), posting.signature()) ->
                pending.add(new Pending(
                        ref, bytes, committer.submit(postings, new Arrived.Posting(message, posting, bytes))));
            case Body.Acknowledgement acknowledgement
            when hasSigned(ref, acknowledgement.statement(ref), acknowledgement.signature()) ->
                pending.add(new Pending(
                        ref,
                        bytes,
                        committer.submit(acknowledgements, new Arrived.Acknowledgement(ref, acknowledgement, bytes))));
            case Body.Refusal refusal
            when refusal.byProducer()
                    && hasSigned(ref, Statement.ofRefusal(ref, refusal.issue()), refusal.signature()) ->
                stop(ref, refusal, bytes);
            case Body.Posting posting -> raised.add(unverified.of(ref, bytes, "a posting without a valid signature"));
            case Body.Acknowledgement acknowledgement ->
                raised.add(unverified.of(ref, bytes, "an acknowledgement without a valid signature"));
            case Body.Refusal refusal -> raised.add(unverified.of(ref, bytes, "a refusal without a valid signature"));
            case Body.Receipt receipt -> raised.add(unverified.of(ref, bytes, "a receipt on the topic of postings"));
            case Body.Result result -> raised.add(unverified.of(ref, bytes, "a result on the topic of postings"));
        }
    }

    /** The signature covers the fingerprint, and the fingerprint must cover the content. */
    private static boolean hasContent(PostingRef ref, Body.Posting posting) {
        String key = posting.place() == null ? null : posting.place().key();
        return Statement.fingerprint(posting.payload(), key).equals(ref.fingerprint());
    }

    private boolean hasSigned(PostingRef ref, byte[] statement, BatchSignature signature) {
        return partners.hasSigned(ref.producer(), statement, signature);
    }

    /** The producer keeps our result as an issue: publishing it again would change nothing. */
    private void stop(PostingRef ref, Body.Refusal refusal, byte[] bytes) {
        database.transact("record a refusal", tx -> {
            store.stop(tx, ref, "result refused by " + ref.producer() + ": " + refusal.issue());
            issues.raise(tx, List.of(Issue.of(IssueKind.RESULT_REFUSED, ref, bytes, refusal.issue())));
            return true;
        });
    }
}
