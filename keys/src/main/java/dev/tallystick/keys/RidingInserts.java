package dev.tallystick.keys;

import java.util.List;

/**
 * Rows written together with free keys, by the statement that binds them: this saves a round trip per batch.
 *
 * @param expressions common table expressions, each but the last followed by a comma. They see {@code bound}, which has the
 *     {@code original_id} of every claim whose key was free; they must not write rows for any other claim
 * @param parameters their parameters, in order
 */
public record RidingInserts(String expressions, List<Object> parameters) {}
