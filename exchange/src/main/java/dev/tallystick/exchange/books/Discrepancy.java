package dev.tallystick.exchange.books;

import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.exchange.books.Reconciliation.Difference;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Database;
import java.util.ArrayList;
import java.util.List;

/** A difference between our books and a partner's, with its direction. */
public record Discrepancy(Participant producer, Participant consumer, Difference difference) {

    /**
     * Compares the books of both directions, and records every difference as an issue.
     *
     * @param received the partner's books of what we posted to it
     * @param posted the partner's books of what it posted to us
     */
    public static List<Discrepancy> findAll(
            Database database, Participant self, Participant partner, Books received, Books posted) {
        List<Discrepancy> all = new ArrayList<>();
        Reconciliation.between(DatabaseBooks.ofProducer(database, self, partner), received)
                .differences()
                .forEach(each -> all.add(new Discrepancy(self, partner, each)));
        Reconciliation.between(DatabaseBooks.ofConsumer(database, partner, self), posted)
                .differences()
                .forEach(each -> all.add(new Discrepancy(partner, self, each)));
        new Issues(database, self).raise(all.stream().map(Discrepancy::issue).toList());
        return all;
    }

    public DifferenceView shown() {
        return new DifferenceView(
                difference.kind().name(),
                producer.name(),
                consumer.name(),
                difference.id(),
                difference.period().toString(),
                difference.ours(),
                difference.theirs());
    }

    private Issue issue() {
        return Issue.found(
                difference.kind(),
                producer,
                consumer,
                new MessageId(difference.id()),
                "here " + difference.ours() + ", there " + difference.theirs());
    }
}
