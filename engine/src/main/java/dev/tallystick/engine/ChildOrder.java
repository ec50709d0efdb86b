package dev.tallystick.engine;

/** An activity's request to run another workflow as a child job. */
record ChildOrder(ActivityId parent, String mesh, String workflow, byte[] input) {}
