package dev.tallystick.client;

import java.util.List;
import java.util.UUID;

/**
 * What a server can do, so that a client need not try.
 *
 * @param api the version of the API in this answer
 * @param features by name
 * @param installationId the same for all servers on one database, and never that of another: keys mean something else there
 * @param maxRequestBytes of a request's body
 * @param versions of the API that the server speaks
 */
public record Features(
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
    public record Dedupe(String mode, int retentionDays) {

        static Dedupe of(Fields fields) {
            return new Dedupe(fields.text("mode"), fields.count("retention_days"));
        }
    }

    /**
     * The size limits of what is sent.
     *
     * @param inlineBytes of a message's body and meta data, or of a job's input
     */
    public record MaxPayload(int inlineBytes) {

        static MaxPayload of(Fields fields) {
            return new MaxPayload(fields.count("inline_bytes"));
        }
    }

    static Features of(Fields fields) {
        return new Features(
                fields.text("api"),
                fields.texts("features"),
                fields.text("installation_id", UUID::fromString),
                Dedupe.of(fields.fields("dedupe")),
                MaxPayload.of(fields.fields("max_payload")),
                fields.count("max_request_bytes"),
                fields.texts("versions"));
    }
}
