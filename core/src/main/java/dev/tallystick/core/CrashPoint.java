package dev.tallystick.core;

/**
 * A place in the code where a crash matters, named so that a test can crash there. Every module lists its own in an enum that
 * implements this interface, and a test runs over the whole enum.
 */
public interface CrashPoint {

    String name();
}
