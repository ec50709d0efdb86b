package dev.tallystick.server;

import dev.tallystick.core.JsonLimits;
import java.time.Duration;

/**
 * What one request, and all of them together, may take.
 *
 * @param body bytes of a request's body
 * @param depth of JSON
 * @param headers bytes of the headers
 * @param prologue bytes of the first line
 * @param connections at once
 * @param requests at once
 * @param silence how long a connection may take from being opened, or from an answer, to the end of the next request's head
 * @param arrival how long a whole body may take to arrive, and an answer to be taken
 * @param patience how long an answer may be waited for
 */
record Limits(
        int body,
        int depth,
        int headers,
        int prologue,
        int connections,
        int requests,
        Duration silence,
        Duration arrival,
        Duration patience) {

    private static final int MEBIBYTE = 1024 * 1024;

    static final Limits DEFAULT = new Limits(
            MEBIBYTE + MEBIBYTE / 4,
            128,
            32 * 1024,
            8 * 1024,
            10_000,
            5_000,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60));

    Limits withConnections(int number) {
        return new Limits(body, depth, headers, prologue, number, requests, silence, arrival, patience);
    }

    Limits withTimes(Duration otherSilence, Duration otherArrival) {
        return new Limits(body, depth, headers, prologue, connections, requests, otherSilence, otherArrival, patience);
    }

    JsonLimits json() {
        return new JsonLimits(body, depth);
    }
}
