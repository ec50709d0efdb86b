package dev.tallystick.keys;

import java.util.List;

/**
 * What is written together with keys that were free, by the statement that binds them: a round trip less for every batch.
 *
 * @param expressions common table expressions, each but the last followed by a comma. They see {@code bound}, which has the
 *     {@code original_id} of every claim whose key was free; what belongs to any other claim must not be written
 * @param parameters theirs, in order
 */
public record BoundWrites(String expressions, List<Object> parameters) {}
