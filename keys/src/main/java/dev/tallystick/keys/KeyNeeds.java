package dev.tallystick.keys;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;

/** Knows what keys stand for, and so until when they must be remembered. */
@FunctionalInterface
public interface KeyNeeds {

    /** Keys are needed until they expire, and no longer. */
    KeyNeeds NONE = (tx, originals) -> Map.of();

    /**
     * Until when the keys that made these are needed, by the database's clock.
     *
     * @param originals what keys made that have expired
     * @return for those of which something is known
     */
    Map<UUID, Instant> neededUntil(Tx tx, Collection<UUID> originals) throws SQLException;
}
