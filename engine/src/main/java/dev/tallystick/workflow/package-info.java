/**
 * What users of the library write and receive: a {@link dev.tallystick.workflow.Workflow} in Java, its {@link dev.tallystick.workflow.Context}, and the values and exceptions
 * that the two exchange with the engine.
 *
 * <p>Guarantees: nothing here needs an engine, a database or a thread, so a workflow can be compiled and read without them.
 *
 * <p>Knows nothing of how jobs are stored or run.
 */
@NullMarked
package dev.tallystick.workflow;

import org.jspecify.annotations.NullMarked;
