package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Recording;
import dev.tallystick.exchange.consumer.Arrived.Answer;
import dev.tallystick.exchange.consumer.ReceivedStore.Known;
import dev.tallystick.exchange.consumer.ReceivedStore.PostingKey;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Acknowledgements of results that share a commit. */
record RecordAcknowledgements(ReceivedStore store, Issues issues)
        implements Recording<Arrived.Acknowledgement, Answer> {

    @Override
    public String name() {
        return "record acknowledgements";
    }

    @Override
    public int rank() {
        return 2;
    }

    @Override
    public Object orderKey(Arrived.Acknowledgement acknowledgement) {
        return ReceivedStore.keyOf(acknowledgement.ref());
    }

    /** First acknowledgements that fit. */
    @Override
    public void applyUsual(Tx tx, List<Arrived.Acknowledgement> acknowledgements, Usual<Answer> usual)
            throws SQLException {
        store.acknowledgeLater(tx, acknowledgements, key -> usual.done(key, new Answer.Done()));
    }

    @Override
    public List<@Nullable Answer> apply(Tx tx, List<Arrived.Acknowledgement> acknowledgements) throws SQLException {
        Set<PostingKey> changed = new HashSet<>(store.acknowledge(tx, acknowledgements));
        List<PostingKey> others = acknowledgements.stream()
                .map(each -> ReceivedStore.keyOf(each.ref()))
                .filter(key -> !changed.contains(key))
                .toList();
        Map<PostingKey, Known> known = others.isEmpty() ? Map.of() : store.lookUp(tx, others);
        List<Issue> raised = new ArrayList<>();
        List<@Nullable Answer> answers = new ArrayList<>(acknowledgements.size());
        for (Arrived.Acknowledgement each : acknowledgements) {
            PostingKey key = ReceivedStore.keyOf(each.ref());
            IssueKind kind = changed.contains(key) ? null : issueOf(each, known.get(key));
            if (kind != null) {
                raised.add(Issue.of(
                        kind,
                        each.ref(),
                        each.bytes(),
                        "acknowledges " + each.body().processing()));
            }
            answers.add(new Answer.Done());
        }
        issues.raise(tx, raised);
        return answers;
    }

    /** Null if the acknowledgement is a repetition. */
    private static @Nullable IssueKind issueOf(Arrived.Acknowledgement acknowledgement, @Nullable Known known) {
        if (known == null || known.row().status().processing() == ProcessingStatus.PENDING) {
            return IssueKind.ACKNOWLEDGEMENT_WITHOUT_RESULT;
        }
        boolean isSame = known.ref().fingerprint().equals(acknowledgement.ref().fingerprint())
                && known.row().status().processing() == acknowledgement.body().processing()
                && Arrays.equals(
                        known.outcomeDigest(),
                        acknowledgement.body().outcomeDigest().bytes());
        return isSame ? null : IssueKind.ACKNOWLEDGEMENT_DIFFERS;
    }
}
