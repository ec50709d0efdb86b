/**
 * The API: one class of routes for each resource, and what joins the broker and the engine.
 *
 * <p>{@code JobHook} starts the jobs that the broker accepts, in the accepting transaction.
 *
 * <p>Invariant: every route acts within the caller's mesh.
 */
@NullMarked
package dev.tallystick.server.routes;

import org.jspecify.annotations.NullMarked;
