package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Recording;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.producer.Arrivals.Answer;
import dev.tallystick.exchange.producer.PostingStore.Known;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Results that share a commit and a countersignature. The first result of a posting stands. */
record RecordResults(PostingStore store, Issues issues, GroupSigner signer)
        implements Recording<Arrivals.Result, Answer> {

    @Override
    public String name() {
        return "record results";
    }

    @Override
    public int rank() {
        return 2;
    }

    @Override
    public Object orderKey(Arrivals.Result result) {
        return result.ref().id();
    }

    @Override
    public long bytes(Arrivals.Result result) {
        return result.bytes().length;
    }

    /** First results that come in time. */
    @Override
    public void applyUsual(Tx tx, List<Arrivals.Result> results, Usual<Answer> usual) throws SQLException {
        List<BatchSignature> countersignatures = countersign(results);
        Map<MessageId, Integer> indexes = new HashMap<>();
        for (int i = 0; i < results.size(); i++) {
            indexes.put(results.get(i).ref().id(), i);
        }
        store.recordResultsLater(tx, results, countersignatures, id -> {
            int index = Objects.requireNonNull(indexes.get(id));
            usual.done(id, acknowledged(results.get(index), countersignatures.get(index)));
        });
    }

    private List<BatchSignature> countersign(List<Arrivals.Result> results) {
        return signer.sign(results.stream()
                .map(result -> Statement.ofAcknowledgement(result.body().statement(result.ref())))
                .toList());
    }

    private static Answer acknowledged(Arrivals.Result result, BatchSignature countersignature) {
        return new Answer.Acknowledged(
                result.ref(), result.body().processing(), result.body().outcomeDigest(), countersignature, true);
    }

    @Override
    public List<@Nullable Answer> apply(Tx tx, List<Arrivals.Result> results) throws SQLException {
        List<BatchSignature> countersignatures = countersign(results);
        Map<MessageId, Boolean> changed = new HashMap<>();
        store.recordResults(tx, results, countersignatures).forEach(late -> changed.put(late.id(), late.isLate()));
        List<MessageId> others = results.stream()
                .map(result -> result.ref().id())
                .filter(id -> !changed.containsKey(id))
                .toList();
        Map<MessageId, Known> known = others.isEmpty() ? Map.of() : store.lookUp(tx, others);
        List<Issue> raised = new ArrayList<>();
        List<@Nullable Answer> answers = new ArrayList<>(results.size());
        for (int i = 0; i < results.size(); i++) {
            Arrivals.Result result = results.get(i);
            Boolean late = changed.get(result.ref().id());
            if (late == null) {
                answers.add(answerOld(result, known.get(result.ref().id()), raised));
            } else {
                if (late) {
                    raised.add(Issue.of(IssueKind.RESULT_AFTER_DEADLINE, result.ref(), null, "it was recorded"));
                }
                answers.add(acknowledged(result, countersignatures.get(i)));
            }
        }
        issues.raise(tx, raised);
        return answers;
    }

    /** The answer to a result that changed nothing. */
    private static Answer answerOld(Arrivals.Result result, @Nullable Known known, List<Issue> raised) {
        PostingRef ref = result.ref();
        IssueKind kind = known == null ? IssueKind.RESULT_WITHOUT_POSTING : RecordReceipts.mismatch(ref, known);
        if (kind != null || known == null) {
            IssueKind refused = kind == null ? IssueKind.RESULT_WITHOUT_POSTING : kind;
            raised.add(Issue.of(refused, ref, result.bytes(), "a result from " + ref.consumer()));
            return new Answer.Refused(ref, refused);
        }
        byte[] digest = known.outcomeDigest();
        BatchSignature countersignature = known.countersignature();
        if (digest == null || countersignature == null) {
            throw new IllegalStateException("the result of posting " + ref.id() + " was not recorded, and not refused");
        }
        boolean isSame = known.status().processing() == result.body().processing()
                && Arrays.equals(digest, result.body().outcomeDigest());
        if (!isSame) {
            raised.add(Issue.of(
                    IssueKind.RESULT_DIFFERS,
                    ref,
                    result.bytes(),
                    "recorded " + known.status().processing() + ", now "
                            + result.body().processing()));
        }
        return new Answer.Acknowledged(known.ref(), known.status().processing(), digest, countersignature, false);
    }
}
