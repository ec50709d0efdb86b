package dev.tallystick.engine;

/** Takes back what a step did. May run more than once, and also if the step never came to its work. */
@FunctionalInterface
public interface Undo {

    void run() throws Exception;
}
