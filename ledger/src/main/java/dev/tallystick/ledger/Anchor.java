package dev.tallystick.ledger;

import dev.tallystick.ledger.history.Anchored;
import java.io.IOException;
import java.util.Optional;

/** A place outside the ledger that remembers a position. To roll back the ledger unnoticed, one must roll this back too. */
public interface Anchor {

    Optional<Anchored> read() throws IOException;

    /**
     * Remembers {@code head}; on disk on return. Refuses an earlier position. Called by {@link Ledger#anchor}, which has
     * verified that {@code head} continues the remembered root.
     */
    void advance(Anchored head) throws IOException;
}
