package dev.tallystick.workflow;

/** Reverses a step. May run more than once, and even if the step never ran. */
@FunctionalInterface
public interface Undo {

    void run() throws Exception;
}
