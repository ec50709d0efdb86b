package dev.tallystick.core;

/**
 * A place in the code where dying matters, named so that a test can die there. Every module lists its own in an enum that
 * implements this; a test that runs over the enum grows with it.
 */
public interface CrashPoint {

    String name();
}
