package dev.tallystick.engine.model;

import java.time.Duration;

/** The limit of a workflow, as written in code or in a graph. */
public record LaneRule(String workflow, int concurrency, int starts, Duration per) {}
