package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.log.entry.Commitment;
import dev.tallystick.log.tree.Hash;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * The promise that an accepted job will be in the log by a given time. With a later checkpoint whose key map lacks the tag, its
 * holder can show that the job was left out.
 *
 * @param origin the name of the log
 * @param tag the tag of the acceptance
 * @param fingerprint the commitment to the fingerprint of the request, by {@link #commitTo}
 * @param sealedBy the latest time by which the entry will be in the log
 */
public record AcceptancePromise(
        String origin, Hash tag, String job, Hash fingerprint, Instant acceptedAt, Instant sealedBy) {

    public static final String FORMAT = "tally-promise-v1";

    static final String FIELD = "fingerprint";

    private static final String[] WORDS = {"log ", "tag ", "job ", "fingerprint ", "accepted_at ", "sealed_by "};

    public AcceptancePromise {
        if (job.isEmpty() || job.length() > 255 || job.chars().anyMatch(c -> c <= ' ')) {
            throw new IllegalArgumentException("the id of a job has 1 to 255 characters and no space");
        }
        if (sealedBy.isBefore(acceptedAt)) {
            throw new IllegalArgumentException("a promise ends before it begins");
        }
    }

    /** The commitment to a fingerprint; the opening is {@link dev.tallystick.log.entry.MemberSecret#promiseOpening}. */
    public static Hash commitTo(Hash opening, String job, String fingerprint) {
        return Commitment.of(opening, job, FIELD, Json.of(fingerprint));
    }

    /** Lines that no checkpoint has: its second line is a number. */
    public String text() {
        return String.join(
                "\n",
                FORMAT,
                WORDS[0] + origin,
                WORDS[1] + tag.base64(),
                WORDS[2] + job,
                WORDS[3] + fingerprint.base64(),
                WORDS[4] + acceptedAt,
                WORDS[5] + sealedBy,
                "");
    }

    static AcceptancePromise parse(String text) {
        String[] lines = text.split("\n", -1);
        if (lines.length != WORDS.length + 2 || !lines[0].equals(FORMAT)) {
            throw new IllegalArgumentException("a promise begins with '" + FORMAT + "' and has seven lines");
        }
        String[] values = new String[WORDS.length];
        for (int i = 0; i < WORDS.length; i++) {
            if (!lines[i + 1].startsWith(WORDS[i])) {
                throw new IllegalArgumentException("line " + (i + 2) + " of a promise begins with '" + WORDS[i] + "'");
            }
            values[i] = lines[i + 1].substring(WORDS[i].length());
        }
        try {
            AcceptancePromise promise = new AcceptancePromise(
                    values[0],
                    Hash.parse(values[1]),
                    values[2],
                    Hash.parse(values[3]),
                    Instant.parse(values[4]),
                    Instant.parse(values[5]));
            if (promise.text().equals(text)) {
                return promise;
            }
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("a promise with a malformed time", e);
        }
        throw new IllegalArgumentException("a promise in other than its usual form");
    }
}
