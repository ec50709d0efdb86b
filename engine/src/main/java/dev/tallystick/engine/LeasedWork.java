package dev.tallystick.engine;

/**
 * Work that may be done now.
 *
 * @param attempt which attempt this is, counted from 1
 * @param graph the queue of the graph, that is its name and version
 */
record LeasedWork(Lease lease, String graph, int attempt, byte[] input, boolean jobClosed) {}
