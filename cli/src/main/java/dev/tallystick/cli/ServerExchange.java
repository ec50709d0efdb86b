package dev.tallystick.cli;

import dev.tallystick.client.Postings;
import dev.tallystick.client.RefusedException;
import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingView;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The records that a server shows to operators. */
record ServerExchange(Postings postings) implements ExchangeSource {

    private static final int NOT_FOUND = 404;

    @Override
    public List<PostingView> list(boolean alsoSettled, int limit) {
        return postings.list(alsoSettled, limit);
    }

    @Override
    public List<PostingView> find(String id) {
        return ifThere(() -> postings.find(id)).orElse(List.of());
    }

    @Override
    public boolean replay(String id) {
        return ifThere(() -> {
                    postings.replay(id);
                    return true;
                })
                .isPresent();
    }

    @Override
    public List<IssueView> issues(boolean alsoResolved, int limit) {
        return postings.issues(alsoResolved, limit);
    }

    @Override
    public List<DifferenceView> reconcile(String partner) {
        return postings.reconcile(partner);
    }

    @Override
    public Optional<String> bundle(String id, @Nullable String from) {
        return ifThere(() -> postings.bundle(id, from).canonical());
    }

    private static <T> Optional<T> ifThere(Supplier<T> asked) {
        try {
            return Optional.of(asked.get());
        } catch (RefusedException e) {
            if (e.status() == NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
