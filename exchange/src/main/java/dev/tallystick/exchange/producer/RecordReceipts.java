package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.producer.Arrivals.Answer;
import dev.tallystick.exchange.producer.PostingStore.Known;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Receipts that share a commit. A receipt that comes after the result changes nothing. */
record RecordReceipts(PostingStore store, Issues issues, ExchangeSettings settings)
        implements Primitive<Arrivals.Receipt, Answer> {

    @Override
    public String name() {
        return "record receipts";
    }

    @Override
    public int rank() {
        return 2;
    }

    @Override
    public Object orderKey(Arrivals.Receipt receipt) {
        return receipt.ref().id();
    }

    @Override
    public List<@Nullable Answer> apply(Tx tx, List<Arrivals.Receipt> receipts) throws SQLException {
        Set<MessageId> changed = new HashSet<>(store.recordReceipts(tx, receipts, settings.replayInterval()));
        List<MessageId> others = receipts.stream()
                .map(receipt -> receipt.ref().id())
                .filter(id -> !changed.contains(id))
                .toList();
        Map<MessageId, Known> known = others.isEmpty() ? Map.of() : store.lookUp(tx, others);
        List<Issue> raised = new ArrayList<>();
        List<@Nullable Answer> answers = new ArrayList<>(receipts.size());
        for (Arrivals.Receipt receipt : receipts) {
            PostingRef ref = receipt.ref();
            IssueKind kind = changed.contains(ref.id()) ? null : issueOf(ref, known.get(ref.id()));
            if (kind == null) {
                answers.add(new Answer.Done(ref));
            } else {
                raised.add(Issue.of(kind, ref, receipt.bytes(), "a receipt from " + ref.consumer()));
                answers.add(new Answer.Refused(ref, kind));
            }
        }
        issues.raise(tx, raised);
        return answers;
    }

    /** Null if the receipt is for the posting that we have. */
    private static @Nullable IssueKind issueOf(PostingRef ref, @Nullable Known known) {
        return known == null ? IssueKind.RECEIPT_WITHOUT_POSTING : mismatch(ref, known);
    }

    /** Null if the message is about the posting that we have. */
    static @Nullable IssueKind mismatch(PostingRef ref, Known known) {
        if (!known.ref().consumer().equals(ref.consumer())) {
            return IssueKind.WRONG_PARTICIPANT;
        }
        return known.ref().fingerprint().equals(ref.fingerprint()) ? null : IssueKind.ID_REUSED;
    }
}
