package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/**
 * A workflow written as code. It runs from the top whenever its job is taken up again, and what it asked of its {@link Context}
 * before is answered from the record; so between those calls it computes and does nothing else.
 */
@FunctionalInterface
public interface Workflow<I extends @Nullable Object, O extends @Nullable Object> {

    O run(Context context, I input) throws Exception;
}
