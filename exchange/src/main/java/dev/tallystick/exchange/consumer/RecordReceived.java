package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Recording;
import dev.tallystick.exchange.consumer.Arrived.Answer;
import dev.tallystick.exchange.consumer.ReceivedStore.Known;
import dev.tallystick.exchange.consumer.ReceivedStore.PostingKey;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Postings that arrive, sharing a commit and the signature of their receipts. A posting is recorded once. */
record RecordReceived(ReceivedStore store, Issues issues, GroupSigner signer, ExchangeSettings settings)
        implements Recording<Arrived.Posting, Answer> {

    @Override
    public String name() {
        return "record received postings";
    }

    @Override
    public int rank() {
        return 1;
    }

    @Override
    public Object orderKey(Arrived.Posting posting) {
        return ReceivedStore.keyOf(posting.ref());
    }

    @Override
    public long bytes(Arrived.Posting posting) {
        return posting.bytes().length;
    }

    /** New postings. */
    @Override
    public void applyUsual(Tx tx, List<Arrived.Posting> postings, Usual<Answer> usual) throws SQLException {
        store.insertLater(
                tx,
                postings,
                sign(postings),
                settings.lease(),
                row -> usual.done(ReceivedStore.keyOf(row.ref()), new Answer.New(row)));
    }

    private List<BatchSignature> sign(List<Arrived.Posting> postings) {
        return signer.sign(postings.stream()
                .map(posting -> Statement.ofReceipt(posting.ref()))
                .toList());
    }

    @Override
    public List<@Nullable Answer> apply(Tx tx, List<Arrived.Posting> postings) throws SQLException {
        List<BatchSignature> signatures = sign(postings);
        Map<PostingKey, ReceivedRow> inserted = new HashMap<>();
        for (ReceivedRow row : store.insert(tx, postings, signatures, settings.lease())) {
            inserted.put(ReceivedStore.keyOf(row.ref()), row);
        }
        List<PostingKey> others = postings.stream()
                .map(posting -> ReceivedStore.keyOf(posting.ref()))
                .filter(key -> !inserted.containsKey(key))
                .toList();
        Map<PostingKey, Known> known = others.isEmpty() ? Map.of() : store.lookUp(tx, others);
        List<Issue> raised = new ArrayList<>();
        List<@Nullable Answer> answers = new ArrayList<>(postings.size());
        for (Arrived.Posting posting : postings) {
            ReceivedRow row = inserted.get(ReceivedStore.keyOf(posting.ref()));
            answers.add(
                    row != null
                            ? new Answer.New(row)
                            : answerOld(posting, known.get(ReceivedStore.keyOf(posting.ref())), raised));
        }
        issues.raise(tx, raised);
        return answers;
    }

    private static Answer answerOld(Arrived.Posting posting, @Nullable Known known, List<Issue> raised) {
        Known recorded = Objects.requireNonNull(known, "a posting that was there is gone");
        if (recorded.ref().fingerprint().equals(posting.ref().fingerprint())) {
            return new Answer.Repeated(recorded.row());
        }
        raised.add(Issue.of(
                IssueKind.ID_REUSED,
                posting.ref(),
                posting.bytes(),
                "recorded with fingerprint " + recorded.ref().fingerprint().prefix()));
        return new Answer.Refused(posting.ref(), IssueKind.ID_REUSED);
    }
}
