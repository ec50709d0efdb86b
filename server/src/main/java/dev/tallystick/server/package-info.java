/**
 * The front door over HTTP: callers, requests and answers.
 *
 * <p>{@link dev.tallystick.server.TallyServer} opens everything and closes it again. A {@link dev.tallystick.server.Route} is
 * one row of the table from which dispatch, authentication, role checks and the OpenAPI document all come;
 * {@link dev.tallystick.server.FrontDoor} takes a request through it. {@link dev.tallystick.core.ProblemCode} lists every way
 * in which a request can be refused.
 *
 * <p>Invariant: a request that was answered with success is durable; one that was refused has changed nothing, unless the code
 * of the refusal says that the outcome is unknown.
 *
 * <p>Decides nothing about keys, messages or jobs: the key ledger, the broker and the engine do.
 */
@NullMarked
package dev.tallystick.server;

import org.jspecify.annotations.NullMarked;
