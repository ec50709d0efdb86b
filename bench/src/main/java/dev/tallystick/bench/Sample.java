package dev.tallystick.bench;

import java.util.Map;

/** What one round of one contender showed. */
record Sample(double perSecond, double p50Millis, double p99Millis, Map<String, Double> extras) {}
