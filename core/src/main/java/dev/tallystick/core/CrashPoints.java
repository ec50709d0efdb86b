package dev.tallystick.core;

/** Called whenever a {@link CrashPoint} is reached. Production passes {@link #NONE}; tests pass a listener that crashes. */
@FunctionalInterface
public interface CrashPoints {

    CrashPoints NONE = point -> {};

    void reached(CrashPoint point);
}
