package dev.tallystick.exchange.producer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Unverified;
import dev.tallystick.exchange.message.MalformedMessageException;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Arrivals.Answer;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Takes receipts, results and refusals: checks who signed them, records them, and returns when all of them are recorded, each
 * as a change, as something known, or as an issue.
 */
final class ResultReceiver implements Transport.Receiver {

    private final Participant self;
    private final Partners partners;
    private final Database database;
    private final GroupCommitter committer;
    private final PostingStore store;
    private final Issues issues;
    private final Unverified unverified;
    private final RecordReceipts receipts;
    private final RecordResults results;
    private final BiConsumer<Answer, Body> answered;
    private final CrashPoints crashPoints;

    /** @param answered gets each answer with the message that it is for, after all are recorded */
    ResultReceiver(
            Participant self,
            Partners partners,
            Database database,
            GroupCommitter committer,
            PostingStore store,
            Issues issues,
            RecordReceipts receipts,
            RecordResults results,
            BiConsumer<Answer, Body> answered,
            CrashPoints crashPoints) {
        this.self = self;
        this.partners = partners;
        this.database = database;
        this.committer = committer;
        this.store = store;
        this.issues = issues;
        this.unverified = new Unverified(self, issues);
        this.receipts = receipts;
        this.results = results;
        this.answered = answered;
        this.crashPoints = crashPoints;
    }

    private record Pending(PostingRef ref, byte[] bytes, Body body, CompletableFuture<Answer> answer) {}

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
        Map<Pending, Answer> answers = new LinkedHashMap<>();
        for (Pending each : pending) {
            Answer answer = unverified.answer(each.ref(), each.bytes(), each.answer());
            if (answer != null) {
                answers.put(each, answer);
            }
        }
        crashPoints.reached(ExchangeCrashPoint.RESULT_RECORDED);
        answers.forEach((each, answer) -> answered.accept(answer, each.body()));
    }

    private void take(Message message, byte[] bytes, List<Pending> pending, List<Issue> raised) {
        PostingRef ref = message.ref();
        if (!ref.producer().equals(self)) {
            raised.add(unverified.of(ref, bytes, "addressed to another producer"));
            return;
        }
        switch (message.body()) {
            case Body.Receipt receipt
            when hasSigned(ref, Statement.ofReceipt(ref), receipt.signature()) ->
                pending.add(new Pending(
                        ref, bytes, receipt, committer.submit(receipts, new Arrivals.Receipt(ref, receipt, bytes))));
            case Body.Result result
            when hasSigned(ref, Statement.ofReceipt(ref), result.receipt())
                    && hasSigned(ref, result.statement(ref), result.signature()) ->
                pending.add(new Pending(
                        ref, bytes, result, committer.submit(results, new Arrivals.Result(ref, result, bytes))));
            case Body.Refusal refusal
            when !refusal.byProducer()
                    && hasSigned(ref, Statement.ofRefusal(ref, refusal.issue()), refusal.signature()) ->
                stop(ref, refusal, bytes);
            case Body.Receipt receipt -> raised.add(unverified.of(ref, bytes, "a receipt without a valid signature"));
            case Body.Result result -> raised.add(unverified.of(ref, bytes, "a result without a valid signature"));
            case Body.Refusal refusal -> raised.add(unverified.of(ref, bytes, "a refusal without a valid signature"));
            case Body.Posting posting -> raised.add(unverified.of(ref, bytes, "a posting on the topic of results"));
            case Body.Acknowledgement acknowledgement ->
                raised.add(unverified.of(ref, bytes, "an acknowledgement on the topic of results"));
        }
    }

    private boolean hasSigned(PostingRef ref, byte[] statement, BatchSignature signature) {
        return partners.hasSigned(ref.consumer(), statement, signature);
    }

    /** The consumer keeps our posting as an issue: publishing it again would change nothing. */
    private void stop(PostingRef ref, Body.Refusal refusal, byte[] bytes) {
        database.transact("record a refusal", tx -> {
            store.stop(tx, ref, "refused by " + ref.consumer() + ": " + refusal.issue());
            issues.raise(tx, List.of(Issue.of(IssueKind.POSTING_REFUSED, ref, bytes, refusal.issue())));
            return true;
        });
    }
}
