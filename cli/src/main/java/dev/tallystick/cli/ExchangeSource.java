package dev.tallystick.cli;

import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingView;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where the commands of the exchange find a participant's records: at its server, or in its database. */
interface ExchangeSource {

    List<PostingView> list(boolean alsoSettled, int limit);

    List<PostingView> find(String id);

    /** Whether it was open. */
    boolean replay(String id);

    List<IssueView> issues(boolean alsoResolved, int limit);

    /** Records the differences as issues, too. */
    List<DifferenceView> reconcile(String partner);

    /**
     * The evidence for a posting, as JSON.
     *
     * @param from its producer; null if we posted it
     */
    Optional<String> bundle(String id, @Nullable String from);
}
