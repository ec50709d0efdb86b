/**
 * What a graph is: its nodes, its expressions, its YAML, and the checks that make it runnable.
 *
 * <p>{@link dev.tallystick.engine.graph.Graph} is always valid; {@link dev.tallystick.engine.graph.GraphBuilder} and {@link dev.tallystick.engine.graph.GraphYaml} build one; {@link dev.tallystick.engine.graph.Expression} evaluates JSONata
 * within limits of time, memory and depth.
 *
 * <p>Knows nothing of jobs and databases.
 */
@NullMarked
package dev.tallystick.engine.graph;

import org.jspecify.annotations.NullMarked;
