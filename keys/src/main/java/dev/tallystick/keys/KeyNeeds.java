package dev.tallystick.keys;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;

/** Knows what keys have created, and so until when they must be remembered. */
@FunctionalInterface
public interface KeyNeeds {

    /** Keys are needed only until they expire. */
    KeyNeeds NONE = (tx, originals) -> Map.of();

    /**
     * Until when the keys of these originals are needed, by the database's clock.
     *
     * @param originals the originals of expired keys
     * @return an entry for each known original
     */
    Map<UUID, Instant> neededUntil(Tx tx, Collection<UUID> originals) throws SQLException;
}
