package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Recording;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.producer.PostingStore.Known;
import dev.tallystick.exchange.producer.PostingStore.OrderKey;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.GroupSigner;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Postings that share a commit and a signature. */
record RecordPostings(PostingStore store, GroupSigner signer, ExchangeSettings settings)
        implements Recording<NewPosting, RecordPostings.Answer> {

    /** The posting's row, if this recorded it. */
    record Answer(Posted posted, @Nullable PostingRow row) {}

    @Override
    public String name() {
        return "record postings";
    }

    @Override
    public int rank() {
        return 1;
    }

    @Override
    public Object orderKey(NewPosting posting) {
        return posting.ref().id();
    }

    @Override
    public long bytes(NewPosting posting) {
        return posting.draft().payload().size();
    }

    /** A place in an order is looked up first. */
    @Override
    public boolean mayBeUsual(NewPosting posting) {
        return posting.draft().orderKey() == null;
    }

    @Override
    public void applyUsual(Tx tx, List<NewPosting> postings, Usual<Answer> usual) throws SQLException {
        store.insertLater(
                tx,
                postings,
                sign(postings),
                settings.acknowledgementTimeout(),
                row -> usual.done(row.ref().id(), new Answer(new Posted.Recorded(), row)));
    }

    private List<BatchSignature> sign(List<NewPosting> postings) {
        return signer.sign(postings.stream()
                .map(posting -> Statement.ofPosting(posting.ref()))
                .toList());
    }

    @Override
    public List<@Nullable Answer> apply(Tx tx, List<NewPosting> postings) throws SQLException {
        Map<MessageId, OrderPlace> places = places(tx, postings);
        List<BatchSignature> signatures = sign(postings);
        Map<MessageId, PostingRow> inserted = new HashMap<>();
        for (PostingRow row : store.insert(tx, postings, signatures, places, settings.acknowledgementTimeout())) {
            inserted.put(row.ref().id(), row);
        }
        List<MessageId> others = postings.stream()
                .map(posting -> posting.ref().id())
                .filter(id -> !inserted.containsKey(id))
                .toList();
        Map<MessageId, Known> known = others.isEmpty() ? Map.of() : store.lookUp(tx, others);
        List<@Nullable Answer> answers = new ArrayList<>(postings.size());
        for (NewPosting posting : postings) {
            PostingRow row = inserted.get(posting.ref().id());
            answers.add(row != null ? new Answer(new Posted.Recorded(), row) : repeated(posting, known, places));
        }
        return answers;
    }

    private static Answer repeated(NewPosting posting, Map<MessageId, Known> known, Map<MessageId, OrderPlace> places) {
        if (places.containsKey(posting.ref().id())) {
            // It was recorded after we had looked: the number that it took would leave a gap.
            throw new ConcurrentModificationException("posting " + posting.ref().id() + " was recorded twice at once");
        }
        Known other = Objects.requireNonNull(known.get(posting.ref().id()), "a posting that was there is gone");
        boolean isSame = other.ref().consumer().equals(posting.ref().consumer())
                && other.ref().fingerprint().equals(posting.ref().fingerprint());
        return new Answer(
                isSame
                        ? new Posted.Repeated(other.status())
                        : new Posted.IdReused(other.ref().fingerprint()),
                null);
    }

    /** Numbers those that have an order key and are not recorded yet, in the order of the batch. */
    private Map<MessageId, OrderPlace> places(Tx tx, List<NewPosting> postings) throws SQLException {
        List<NewPosting> ordered = postings.stream()
                .filter(posting -> posting.draft().orderKey() != null)
                .toList();
        if (ordered.isEmpty()) {
            return Map.of();
        }
        Map<MessageId, Known> known = store.lookUp(
                tx, ordered.stream().map(posting -> posting.ref().id()).toList());
        Map<OrderKey, Integer> wanted = new HashMap<>();
        for (NewPosting posting : ordered) {
            if (!known.containsKey(posting.ref().id())) {
                wanted.merge(keyOf(posting), 1, Integer::sum);
            }
        }
        if (wanted.isEmpty()) {
            return Map.of();
        }
        Map<OrderKey, Long> next = new HashMap<>();
        store.takeNumbers(tx, wanted).forEach((key, last) -> next.put(key, last - wanted.getOrDefault(key, 0) + 1));
        Map<MessageId, OrderPlace> places = new HashMap<>();
        for (NewPosting posting : ordered) {
            if (!known.containsKey(posting.ref().id())) {
                OrderKey key = keyOf(posting);
                long number = Objects.requireNonNull(next.get(key));
                places.put(posting.ref().id(), new OrderPlace(key.key(), number));
                next.put(key, number + 1);
            }
        }
        return places;
    }

    private static OrderKey keyOf(NewPosting posting) {
        return new OrderKey(
                posting.ref().consumer(), Objects.requireNonNull(posting.draft().orderKey()));
    }
}
