package dev.tallystick.workflow;

/**
 * Information for a worker beside the input.
 *
 * @param node the node of the graph
 * @param dimension the dimension it runs in; empty outside cycles
 * @param attempt which attempt this is, counted from 1
 * @param key for external systems: the same for every attempt at this work, different everywhere else
 */
public record Work(JobId job, String node, String dimension, int attempt, String key) {}
