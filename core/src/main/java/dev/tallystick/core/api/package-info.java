/**
 * The HTTP API, written once: the records that servers and clients exchange, one holder for each resource, and how records
 * are written in JSON.
 *
 * <p>Main types: {@link dev.tallystick.core.api.JobApi} and its siblings hold the records;
 * {@link dev.tallystick.core.api.RecordBinding} reads and writes them, and makes the schemas of the OpenAPI document.
 *
 * <p>Invariant: what one side writes, the other side reads. A server refuses members that it does not know; a client ignores
 * them, because the server may be newer.
 *
 * <p>Knows nothing of HTTP, routes or what the records are for.
 */
@NullMarked
package dev.tallystick.core.api;

import org.jspecify.annotations.NullMarked;
