package dev.tallystick.engine.model;

/** An activity's request to run another workflow as a child job. */
public record ChildOrder(ActivityId parent, String mesh, String workflow, byte[] input) {}
