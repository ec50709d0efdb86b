/**
 * Reads jobs for people and programs: lists, activities, events, ends, and why a job waits.
 *
 * <p>{@link dev.tallystick.engine.view.JobReader}, {@link dev.tallystick.engine.view.JobEvents} and {@link dev.tallystick.engine.view.JobCompletionStore} are the entries.
 *
 * <p>Invariant: reading locks nothing. A position that a reader has seen stays, and nothing appears before it later.
 */
@NullMarked
package dev.tallystick.engine.view;

import org.jspecify.annotations.NullMarked;
