/**
 * Runs workflows written as code.
 *
 * <p>{@code Runner} leases jobs, {@code JobExecutor} takes one to its end, {@code JobExecution} holds its lease and its pending
 * results, and {@code ReplayContext} answers the workflow's calls from the record or by doing the work.
 *
 * <p>Invariant: everything before a step is durable when its work begins; a job whose lease is lost commits nothing more.
 *
 * <p>Knows nothing of graphs.
 */
@NullMarked
package dev.tallystick.engine.code;

import org.jspecify.annotations.NullMarked;
