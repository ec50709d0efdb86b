package dev.tallystick.engine;

/**
 * What a worker is told of the work beside its input.
 *
 * @param node the node of the graph
 * @param dimension the dimension it runs in; empty outside of cycles
 * @param attempt which attempt this is, counted from 1
 * @param key for foreign systems: the same for every attempt of this work, different everywhere else
 */
public record Work(JobId job, String node, String dimension, int attempt, String key) {}
