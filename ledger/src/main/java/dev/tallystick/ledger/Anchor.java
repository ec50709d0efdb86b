package dev.tallystick.ledger;

import java.io.IOException;
import java.util.Optional;

/** A place outside the ledger that remembers how far it had come. Whoever takes the ledger back must take this back too. */
public interface Anchor {

    Optional<Anchored> read() throws IOException;

    /**
     * Remembers {@code head}; on disk when this returns. Never goes back: an earlier position is refused. Called by
     * {@link Ledger#anchor}, which has verified that {@code head} continues what is remembered.
     */
    void advance(Anchored head) throws IOException;
}
