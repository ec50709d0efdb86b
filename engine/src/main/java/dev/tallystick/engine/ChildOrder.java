package dev.tallystick.engine;

/** A job that an activity wants done by another workflow. */
record ChildOrder(ActivityId parent, String mesh, String workflow, byte[] input) {}
