package dev.tallystick.cli;

import dev.tallystick.client.Postings;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.Discrepancy;
import dev.tallystick.exchange.books.IssueRow;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Records;
import dev.tallystick.exchange.books.View;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records in a participant's database.
 *
 * @param partners the database of the partner to reconcile with
 */
record DatabaseExchange(Database database, Participant self, Supplier<Database> partners) implements ExchangeSource {

    private Records records() {
        return new Records(database, self);
    }

    @Override
    public List<Postings.Posting> list(boolean alsoSettled, int limit) {
        return records().list(alsoSettled, limit).stream()
                .map(DatabaseExchange::posting)
                .toList();
    }

    @Override
    public List<Postings.Posting> find(String id) {
        return records().show(new MessageId(id)).stream()
                .map(DatabaseExchange::posting)
                .toList();
    }

    @Override
    public boolean replay(String id) {
        return records().replay(new MessageId(id), "operator");
    }

    @Override
    public List<Postings.Issue> issues(boolean alsoResolved, int limit) {
        return new Issues(database, self)
                .list(alsoResolved, limit).stream().map(DatabaseExchange::issue).toList();
    }

    @Override
    public List<Postings.Difference> reconcile(String partner) {
        Participant other = new Participant(partner);
        Database theirs = partners.get();
        return Discrepancy.findAll(
                        database,
                        self,
                        other,
                        DatabaseBooks.ofConsumer(theirs, self, other),
                        DatabaseBooks.ofProducer(theirs, other, self))
                .stream()
                .map(DatabaseExchange::difference)
                .toList();
    }

    @Override
    public Optional<String> bundle(String id, @Nullable String from) {
        MessageId wanted = new MessageId(id);
        Partners keys = new Partners(database);
        Optional<Bundle> bundle =
                from == null ? records().posted(wanted, keys) : records().received(new Participant(from), wanted, keys);
        return bundle.map(Bundle::toJson);
    }

    private static Postings.Posting posting(View view) {
        return new Postings.Posting(
                view.posted(),
                view.producer(),
                view.consumer(),
                view.id(),
                view.status().ack().name(),
                view.status().processing().name(),
                view.attempts(),
                view.replays(),
                view.failure(),
                view.inception(),
                view.deadline(),
                view.dueAt(),
                view.reason(),
                view.audit());
    }

    private static Postings.Issue issue(IssueRow row) {
        return new Postings.Issue(
                row.kind().name(),
                row.producer(),
                row.consumer(),
                row.id(),
                row.detail(),
                row.times(),
                row.raisedAt(),
                row.resolvedAt());
    }

    private static Postings.Difference difference(Discrepancy found) {
        return new Postings.Difference(
                found.difference().kind().name(),
                found.producer().name(),
                found.consumer().name(),
                found.difference().id(),
                found.difference().period().day(),
                found.difference().ours(),
                found.difference().theirs());
    }
}
