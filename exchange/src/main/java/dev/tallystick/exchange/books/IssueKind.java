package dev.tallystick.exchange.books;

/** Every kind of consistency issue. The names are part of the public API. */
public enum IssueKind {
    /** A receipt arrived for a posting that the producer does not have. */
    RECEIPT_WITHOUT_POSTING,
    /** A result arrived for a posting that the producer does not have. */
    RESULT_WITHOUT_POSTING,
    /** A receipt or result arrived from a participant to which the posting was not addressed. */
    WRONG_PARTICIPANT,
    /** A posting, receipt or result arrived under the id of a posting with other content. */
    ID_REUSED,
    /** A result arrived that differs from the recorded one, which stands. */
    RESULT_DIFFERS,
    /** A posting had no result by its deadline. It stays open. */
    DEADLINE_MISSED,
    /** A result arrived after the posting's deadline. It was recorded. */
    RESULT_AFTER_DEADLINE,
    /** A handler keeps failing. Its posting stays pending and is retried. */
    HANDLER_FAILS,
    /** The producer acknowledged a result that the consumer does not have. */
    ACKNOWLEDGEMENT_WITHOUT_RESULT,
    /** The producer acknowledged another result than the consumer's. */
    ACKNOWLEDGEMENT_DIFFERS,
    /** The consumer refused a posting and has kept it as an issue. */
    POSTING_REFUSED,
    /** The producer refused a result and has kept it as an issue. */
    RESULT_REFUSED,
    /** A message without a valid signature of its sender. Only the newest one is kept. */
    UNVERIFIED,
    /** The producer has replayed a posting for as long as it may, without a result. */
    REPLAY_EXPIRED,
    /** Reconciliation: the partner lacks a posting that we have. */
    MISSING_AT_PARTNER,
    /** Reconciliation: we lack a posting that the partner has. */
    MISSING_HERE,
    /** Reconciliation: both have the posting, with different content or outcomes. */
    BOOKS_DIFFER
}
