/**
 * Makes jobs: of submissions, for callers with their own transaction, and again from closed jobs.
 *
 * <p>{@code JobMaker} makes every job once; {@link dev.tallystick.engine.submit.JobStarter} writes and begins it for a caller that has bound its key;
 * {@link dev.tallystick.engine.submit.Reruns} reruns, forks and redrives.
 *
 * <p>Invariant: user code, such as the key of a limit, runs before the transaction that writes the job.
 */
@NullMarked
package dev.tallystick.engine.submit;

import org.jspecify.annotations.NullMarked;
