package dev.tallystick.cli;

import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingView;
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
    public List<PostingView> list(boolean alsoSettled, int limit) {
        return records().list(alsoSettled, limit).stream().map(View::shown).toList();
    }

    @Override
    public List<PostingView> find(String id) {
        return records().show(new MessageId(id)).stream().map(View::shown).toList();
    }

    @Override
    public boolean replay(String id) {
        return records().replay(new MessageId(id), "operator");
    }

    @Override
    public List<IssueView> issues(boolean alsoResolved, int limit) {
        return new Issues(database, self)
                .list(alsoResolved, limit).stream().map(IssueRow::shown).toList();
    }

    @Override
    public List<DifferenceView> reconcile(String partner) {
        Participant other = new Participant(partner);
        Database theirs = partners.get();
        return Discrepancy.findAll(
                        database,
                        self,
                        other,
                        DatabaseBooks.ofConsumer(theirs, self, other),
                        DatabaseBooks.ofProducer(theirs, other, self))
                .stream()
                .map(Discrepancy::shown)
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
}
