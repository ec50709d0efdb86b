/**
 * HTTP: connections and their limits, the route table, requests, answers, and the OpenAPI document.
 *
 * <p>A {@code Route} is one row of the table from which dispatch, authentication, role checks and the OpenAPI document all come;
 * {@code RequestHandler} takes a request through it. The records of requests and answers are in {@code core.api}.
 *
 * <p>Invariant: every byte and every wait of a client is bounded.
 *
 * <p>Knows nothing of jobs and messages.
 */
@NullMarked
package dev.tallystick.server.http;

import org.jspecify.annotations.NullMarked;
