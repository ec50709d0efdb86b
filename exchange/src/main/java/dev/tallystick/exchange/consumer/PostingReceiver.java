package dev.tallystick.exchange.consumer;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.exchange.ExchangeCrashPoint;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.MessageReceiver;
import dev.tallystick.exchange.consumer.Arrived.Answer;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import java.util.List;
import java.util.function.Consumer;

/** Takes postings, acknowledgements and refusals from producers. */
final class PostingReceiver extends MessageReceiver<Answer> {

    private final GroupCommitter committer;
    private final ReceivedStore store;
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
        super(self, partners, database, issues);
        this.committer = committer;
        this.store = store;
        this.postings = postings;
        this.acknowledgements = acknowledgements;
        this.answered = answered;
        this.crashPoints = crashPoints;
    }

    @Override
    protected Checked<Answer> check(Message message, byte[] bytes) {
        PostingRef ref = message.ref();
        if (!isSelf(ref.consumer())) {
            return new Checked.Unverified<>("addressed to another consumer");
        }
        return switch (message.body()) {
            case Body.Posting posting
            when hasContent(ref, posting) && hasSigned(ref, Statement.ofPosting(ref), posting.signature()) ->
                new Checked.Genuine<>(() -> postings.record(committer, new Arrived.Posting(message, posting, bytes)));
            case Body.Acknowledgement acknowledgement
            when hasSigned(ref, acknowledgement.statement(ref), acknowledgement.signature()) ->
                new Checked.Genuine<>(() ->
                        acknowledgements.record(committer, new Arrived.Acknowledgement(ref, acknowledgement, bytes)));
            case Body.Refusal refusal
            when refusal.byProducer()
                    && hasSigned(ref, Statement.ofRefusal(ref, refusal.issue()), refusal.signature()) ->
                stop(ref, refusal, bytes);
            case Body.Posting posting -> new Checked.Unverified<>("a posting without a valid signature");
            case Body.Acknowledgement acknowledgement ->
                new Checked.Unverified<>("an acknowledgement without a valid signature");
            case Body.Refusal refusal -> new Checked.Unverified<>("a refusal without a valid signature");
            case Body.Receipt receipt -> new Checked.Unverified<>("a receipt on the topic of postings");
            case Body.Result result -> new Checked.Unverified<>("a result on the topic of postings");
        };
    }

    @Override
    protected void recorded(List<Recorded<Answer>> all) {
        List<Answer> answers = all.stream().map(Recorded::answer).toList();
        if (answers.stream().anyMatch(answer -> answer instanceof Answer.New)) {
            crashPoints.reached(ExchangeCrashPoint.POSTING_RECEIVED);
        }
        if (answers.stream().anyMatch(answer -> answer instanceof Answer.Done)) {
            crashPoints.reached(ExchangeCrashPoint.ACKNOWLEDGEMENT_RECORDED);
        }
        answered.accept(answers);
    }

    /** The signature covers the fingerprint, and the fingerprint must cover the content. */
    private static boolean hasContent(PostingRef ref, Body.Posting posting) {
        String key = posting.place() == null ? null : posting.place().key();
        return Statement.fingerprint(posting.payload(), key).equals(ref.fingerprint());
    }

    private boolean hasSigned(PostingRef ref, byte[] statement, BatchSignature signature) {
        return hasSigned(ref.producer(), statement, signature);
    }

    private Checked<Answer> stop(PostingRef ref, Body.Refusal refusal, byte[] bytes) {
        String why = "result refused by " + ref.producer() + ": " + refusal.issue();
        return refused(IssueKind.RESULT_REFUSED, ref, refusal, bytes, tx -> store.stop(tx, ref, why));
    }
}
