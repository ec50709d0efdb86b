package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.message.PostingRef;
import java.time.Duration;

/**
 * A posting to record.
 *
 * @param publishing whether it will be published as soon as it is recorded; that attempt is counted
 */
record NewPosting(Draft draft, PostingRef ref, Duration deadline, boolean publishing) {}
