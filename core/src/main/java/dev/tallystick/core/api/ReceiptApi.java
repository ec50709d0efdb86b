package dev.tallystick.core.api;

import java.util.UUID;

/** Documents that {@code tally verify} checks. */
public interface ReceiptApi {

    /**
     * The receipt of a job.
     *
     * @param receipt the document that {@code tally verify} checks
     */
    record JobReceipt(UUID jobId, RawJson receipt) {}

    /**
     * The proof of a key.
     *
     * @param proof the document that {@code tally verify} checks
     */
    record ProvenKey(String key, RawJson proof) {}
}
