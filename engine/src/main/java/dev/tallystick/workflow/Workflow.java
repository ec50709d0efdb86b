package dev.tallystick.workflow;

import org.jspecify.annotations.Nullable;

/**
 * A workflow written as code. It runs from the top each time its job resumes, and earlier calls to its {@link Context} are
 * answered from the record. So the code between those calls must be deterministic and free of side effects.
 */
@FunctionalInterface
public interface Workflow<I extends @Nullable Object, O extends @Nullable Object> {

    O run(Context context, I input) throws Exception;
}
