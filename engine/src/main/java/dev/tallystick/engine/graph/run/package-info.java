/**
 * Runs graphs: plans the transitions of a job, writes them, and does the work that they lead to.
 *
 * <p>{@code GraphEngine} is the entry; {@code Plan} decides what a transition leads to; {@code TransitionWriter} writes it;
 * {@link dev.tallystick.engine.graph.run.RemoteWork} serves workers outside any engine.
 *
 * <p>Invariant: what a round brings belongs to its dimension, and the input of a posting is fixed when it is dispatched.
 *
 * <p>Knows nothing of workflows written as code.
 */
@NullMarked
package dev.tallystick.engine.graph.run;

import org.jspecify.annotations.NullMarked;
