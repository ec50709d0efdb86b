package dev.tallystick.core;

/** Told whenever a {@link CrashPoint} is reached. Production passes {@link #NONE}; tests pass one that dies. */
@FunctionalInterface
public interface CrashPoints {

    CrashPoints NONE = point -> {};

    void reached(CrashPoint point);
}
