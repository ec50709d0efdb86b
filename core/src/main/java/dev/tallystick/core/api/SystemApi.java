package dev.tallystick.core.api;

import java.util.List;
import java.util.UUID;

/** Information about a server itself. */
public interface SystemApi {

    record Health(String status) {}

    /**
     * What a server can do, so that a client need not try.
     *
     * @param api the version of the API in this answer
     * @param features by name
     * @param installationId the same for all servers on one database, and never that of another: keys mean something else there
     * @param maxRequestBytes of a request's body
     * @param versions of the API that the server speaks
     */
    record Features(
            String api,
            List<String> features,
            UUID installationId,
            Dedupe dedupe,
            MaxPayload maxPayload,
            int maxRequestBytes,
            List<String> versions) {

        /**
         * How the server recognises repeats.
         *
         * @param mode {@code retention_scoped}: keys are remembered for so many days after they were first seen
         */
        public record Dedupe(
                @Values(oneOf = "retention_scoped") String mode, int retentionDays) {}

        /**
         * The size limits of what is sent.
         *
         * @param inlineBytes of a message's body and meta data, or of a job's input
         */
        public record MaxPayload(int inlineBytes) {}
    }

    /**
     * Orphaned rows of the database.
     *
     * @param total 0 unless something is very wrong
     */
    record Orphans(long total, List<Kind> kinds) {

        /**
         * Orphaned rows of one kind.
         *
         * @param examples the first of them
         */
        public record Kind(String kind, long count, List<String> examples) {}
    }
}
