package dev.tallystick.exchange.producer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.MessageReceiver;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Arrivals.Answer;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.util.List;
import java.util.function.BiConsumer;

/** Takes receipts, results and refusals from consumers. */
final class ResultReceiver extends MessageReceiver<Answer> {

    private final GroupCommitter committer;
    private final PostingStore store;
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
        super(self, partners, database, issues);
        this.committer = committer;
        this.store = store;
        this.receipts = receipts;
        this.results = results;
        this.answered = answered;
        this.crashPoints = crashPoints;
    }

    @Override
    protected Checked<Answer> check(Message message, byte[] bytes) {
        PostingRef ref = message.ref();
        if (!isSelf(ref.producer())) {
            return new Checked.Unverified<>("addressed to another producer");
        }
        return switch (message.body()) {
            case Body.Receipt receipt
            when hasSigned(ref, Statement.ofReceipt(ref), receipt.signature()) ->
                new Checked.Genuine<>(() -> committer.submit(receipts, new Arrivals.Receipt(ref, receipt, bytes)));
            case Body.Result result
            when hasSigned(ref, Statement.ofReceipt(ref), result.receipt())
                    && hasSigned(ref, result.statement(ref), result.signature()) ->
                new Checked.Genuine<>(() -> results.record(committer, new Arrivals.Result(ref, result, bytes)));
            case Body.Refusal refusal
            when !refusal.byProducer()
                    && hasSigned(ref, Statement.ofRefusal(ref, refusal.issue()), refusal.signature()) ->
                stop(ref, refusal, bytes);
            case Body.Receipt receipt -> new Checked.Unverified<>("a receipt without a valid signature");
            case Body.Result result -> new Checked.Unverified<>("a result without a valid signature");
            case Body.Refusal refusal -> new Checked.Unverified<>("a refusal without a valid signature");
            case Body.Posting posting -> new Checked.Unverified<>("a posting on the topic of results");
            case Body.Acknowledgement acknowledgement ->
                new Checked.Unverified<>("an acknowledgement on the topic of results");
        };
    }

    @Override
    protected void recorded(List<Recorded<Answer>> all) {
        crashPoints.reached(ExchangeCrashPoint.RESULT_RECORDED);
        all.forEach(each -> answered.accept(each.answer(), each.message().body()));
    }

    private boolean hasSigned(PostingRef ref, byte[] statement, BatchSignature signature) {
        return hasSigned(ref.consumer(), statement, signature);
    }

    private Checked<Answer> stop(PostingRef ref, Body.Refusal refusal, byte[] bytes) {
        String why = "refused by " + ref.consumer() + ": " + refusal.issue();
        return refused(IssueKind.POSTING_REFUSED, ref, refusal, bytes, tx -> store.stop(tx, ref, why));
    }
}
